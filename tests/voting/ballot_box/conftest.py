from tests.voting.box_helpers import turn

__all__ = ["turn"]
