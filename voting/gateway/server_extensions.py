"""Optional ASGI extensions of a gateway's servers for WebSockets.

Their names are keys of `scope["extensions"]`.
"""

from collections.abc import Callable

# Writes frames to the transport at once. Returns False and writes nothing if the socket is closing or its
# client reads too slowly.
WRITE_FRAMES = "crowdgame.write_frames"
WriteFrames = Callable[[bytes], bool]

# Registers a reader, or none. As long as no event waits for `receive`, the server calls the reader with each
# short text message, in UTF-8. If the reader returns False, it has done nothing, and the message takes the
# usual path.
READ_TEXTS = "crowdgame.read_texts"
ReadText = Callable[[bytes], bool]
RegisterReader = Callable[[ReadText | None], None]

# The file descriptor of the connection, an integer.
DESCRIPTOR = "crowdgame.descriptor"
