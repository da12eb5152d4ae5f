"""Limits of HTTP requests on both servers, and the response to a body that is too large."""

MAX_HEAD_BYTES = 16_384
MAX_BODY_BYTES = 1_048_576
HEAD_TIMEOUT_S = 10.0
BODY_TIMEOUT_S = 60.0  # for the whole body, however steadily its bytes arrive
_TEXT = b"The request body is larger than 1 MiB.\n"
BODY_TOO_LARGE_RESPONSE = (
    b"HTTP/1.1 413 Content Too Large\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"X-Content-Type-Options: nosniff\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b"
) % (len(_TEXT), _TEXT)
