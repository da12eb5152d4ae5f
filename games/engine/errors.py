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
    """The rules refuse a pick, or a turn after the end. Nothing of the joint action is applied."""
