"""What the engine refuses. Each message is fit to be shown to a person."""


class GameError(Exception):
    """The root of all that a game refuses."""


class UnknownGame(GameError):
    """No game is registered under this slug."""


class BadOptions(GameError):
    """The options are not this game's."""


class BadRecord(GameError):
    """The text is not a game record."""


class IllegalPick(GameError):
    """A side picked what the rules refuse: nothing of the joint action is applied."""
