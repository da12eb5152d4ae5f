"""Errors of the game engine. Every message can be shown to users."""


class GameError(Exception):
    """Base class of all errors raised by games."""


class UnknownGame(GameError):
    """No game is registered under this slug."""


class BadOptions(GameError):
    """The options are not valid for this game."""


class BadRecord(GameError):
    """The text is not a game record."""


class IllegalPick(GameError):
    """A pick breaks the rules, or the game is over. No part of the joint action is applied."""
