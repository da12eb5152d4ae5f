"""WebSocket fuzzing: valid messages corrupted at random, reproducible from a seed."""
