"""The faces' figures, measured: `python -m tests.e2e.figures` writes them into docs/faces.md."""
