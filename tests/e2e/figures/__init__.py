"""The faces' figures, measured: `python -m tests.e2e.measurements` writes them into docs/faces.md."""
