"""Read a log that a server serves, or a folder with a copy of its files."""

from contextlib import closing, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from socket import SHUT_RDWR, create_connection, socket
from ssl import SSLSocket, create_default_context
from threading import Event, Timer
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

from voting.counting.commitments import hash_leaf
from voting.transparency.checkpoints import HASH_BYTES, Checkpoint
from voting.transparency.merkle import CompactRange, InvalidProof, Subtrees
from voting.transparency.notes import MAX_NOTE_BYTES, VerifierKey, parse_verifier_key
from voting.transparency.tiles import ENTRIES, WIDTH, decode_bundle, tile_path, tile_subtrees

TIMEOUT_S = 10
MAX_ANSWER_BYTES = 16 * 1024 * 1024  # the longest entry bundle
SCHEMES = ("http://", "https://")


class Unreachable(Exception):
    """There was no answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a request."""

    status: int
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace").strip()


def get(url: str) -> Answer:
    """Raises Unreachable."""
    try:
        with urlopen(url, timeout=TIMEOUT_S) as answer:  # noqa: S310  checked by callers
            return Answer(answer.status, answer.read(MAX_ANSWER_BYTES))
    except HTTPError as error:
        with error:
            return Answer(error.code, error.read(MAX_ANSWER_BYTES))
    except (OSError, ValueError, HTTPException) as error:
        raise Unreachable(f"{url}: {error}") from error


def post(url: str, body: bytes, timeout_s: float = TIMEOUT_S) -> Answer:
    """Connect, then encrypt, send and receive, each within `timeout_s`. Follows no redirect.

    Raises Unreachable.
    """
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    is_cut_off = Event()
    try:
        connection = kind(parts.netloc)
        address = connection.host, connection.port
        with create_connection(address, timeout_s) as plain, plain.dup() as same, closing(connection):
            cutoff = Timer(timeout_s, cut_off, [same, is_cut_off])
            cutoff.daemon = True
            cutoff.start()
            try:
                connection.sock = _encrypt(plain, connection.host) if kind is HTTPSConnection else plain
                connection.request("POST", parts.path, body)
                with connection.getresponse() as response:
                    answer = Answer(response.status, response.read(MAX_NOTE_BYTES + 1))
            finally:
                cutoff.cancel()
    except (OSError, ValueError, HTTPException) as error:
        raise Unreachable(f"{url}: {error}") from error
    if is_cut_off.is_set() or len(answer.body) > MAX_NOTE_BYTES:
        raise Unreachable(f"{url}: the answer is too slow or too long")
    return answer


def _encrypt(plain: socket, host: str) -> SSLSocket:
    return create_default_context().wrap_socket(plain, server_hostname=host)


def cut_off(connection: socket, is_cut_off: Event) -> None:
    """Say so before whoever waits for the connection continues."""
    is_cut_off.set()
    with suppress(OSError):
        connection.shutdown(SHUT_RDWR)


@dataclass(frozen=True, slots=True)
class LogReader:
    """A log at the address of a server, or in a folder."""

    location: str

    def read(self, path: str) -> bytes:
        """Raises Unreachable, or InvalidProof if a file is missing."""
        if not self.location.startswith(SCHEMES):
            try:
                return Path(self.location, path).read_bytes()
            except OSError as error:
                raise InvalidProof(f"the log lacks {path}: {error.strerror}") from error
        answer = get(self.url(path))
        if answer.status == HTTPStatus.NOT_FOUND:
            raise InvalidProof(f"the log lacks {path}")
        if answer.status != HTTPStatus.OK:
            raise Unreachable(f"{self.url(path)} answered {answer.status}")
        return answer.body

    def url(self, path: str) -> str:
        return f"{self.location.rstrip('/')}/log/{path}"

    def read_key(self) -> VerifierKey:
        """Raises Unreachable, InvalidProof or InvalidNote."""
        return parse_verifier_key(self.read("key").decode("utf-8", "replace"))

    def subtrees(self, size: int) -> Subtrees:
        """Return the subtrees of the log's first `size` entries, which aren't verified."""

        def read_tile(level: int, index: int, width: int) -> bytes:
            tile = self.read(f"tile/{tile_path(level, index, width)}")
            if len(tile) != width * HASH_BYTES:
                raise InvalidProof("a tile has a wrong length")
            return tile

        return tile_subtrees(read_tile, size)

    def read_entries(self, checkpoint: Checkpoint) -> list[bytes]:
        """Return all entries that the checkpoint commits to. Raises Unreachable or InvalidProof."""
        entries = list[bytes]()
        for first in range(0, checkpoint.size, WIDTH):
            width = min(WIDTH, checkpoint.size - first)
            bundle = self.read(f"tile/{tile_path(ENTRIES, first // WIDTH, width)}")
            try:
                entries += decode_bundle(bundle)
            except ValueError as error:
                raise InvalidProof(str(error)) from error
        check_root(entries, checkpoint)
        return entries


def check_root(entries: list[bytes], checkpoint: Checkpoint) -> None:
    """Check that the checkpoint commits to as many of the first entries as it says. Raises InvalidProof."""
    found, _ = CompactRange().append(map(hash_leaf, entries[: checkpoint.size]))
    if (found.size, found.root) != (checkpoint.size, checkpoint.root):
        raise InvalidProof("the entries of the log are not those that its checkpoint commits to")
