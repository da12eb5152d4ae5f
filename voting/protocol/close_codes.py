"""WebSocket close codes."""


class CloseCode:
    """Reasons for which the server closes a socket.

    Codes 4000 to 4499: reconnect. Codes 4500 to 4999: don't reconnect, and show the reason.

    Attributes:
        JOIN_TIMEOUT: No join arrived within 10 s.
        TOO_MANY_FRAMES: The client exceeded the rate limit.
        UNAVAILABLE: The ballot box or the database doesn't answer, or the role of a console changed.
        TOO_SLOW: The client read too slowly. A new snapshot brings it up to date.
        RESTARTING: This gateway is shutting down. Another one takes over.
        CROWDED: Too many clients join at once, the join took more than 10 s, or the event or the
            gateway is full.
        BAD_FRAME: The client sent a binary frame.
        FRAME_TOO_LARGE: A frame exceeds 2048 bytes.
        NO_SUCH_EVENT: No event has this join code.
        BAD_TOKEN: The token is forged or belongs to another event, or a chat key is forged or expired.
        NOT_ALLOWED: The client may not open this console or chat room, or its display key was replaced.
        OPEN_ELSEWHERE: The seat was opened in more than four places. The oldest socket is closed.
        KICKED: An organizer disconnected this voter, who may join again.
        BANNED: An organizer banned this seat. The token stays valid.
    """

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
