from tests.stack import house  # noqa: F401
