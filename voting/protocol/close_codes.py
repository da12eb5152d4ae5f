"""Why a socket was closed."""


class CloseCode:
    """4000-4499: come back, when `retry.after` said or with a growing random delay. 4500-4999: stay away."""

    JOIN_TIMEOUT = 4001
    TOO_MANY_FRAMES = 4003
    UNAVAILABLE = 4004
    TOO_SLOW = 4005
    RESTARTING = 4006
    CROWDED = 4007
    BAD_FRAME = 4500
    FRAME_TOO_LARGE = 4501
    NO_SUCH_EVENT = 4502
    BAD_TOKEN = 4503
    NOT_ALLOWED = 4504
    OPEN_ELSEWHERE = 4505
    KICKED = 4506
    BANNED = 4507
