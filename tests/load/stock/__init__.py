"""A reference app for benchmarks: voting written as the Channels documentation teaches it."""
