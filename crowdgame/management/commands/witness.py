"""`crowdgame witness URL`: watch a server's transparency log, and cosign while it shows one history.

Exit status 1 if the log showed two histories; 2 with --once if the server is unreachable.
"""

import socket
import sys
import time
from contextlib import closing
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import BoundedSemaphore, Event, Lock, Timer
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from crowdgame.server.laptop.lock import LockTaken, hold_lock
from crowdgame.server.laptop.paths import DATA
from voting.transparency.log_reader import SCHEMES, LogReader, Unreachable, cut_off, post
from voting.transparency.merkle import InvalidProof
from voting.transparency.notes import (
    COSIGNATURE_V1,
    MAX_NOTE_BYTES,
    ML_DSA_44,
    NAME,
    InvalidNote,
    parse_verifier_key,
)
from voting.transparency.witness import InconsistentLog, Refused, Witness, open_witness

POLL_S = 10
MAX_CONNECTIONS, CONNECTION_S = 64, 10
KINDS = {"ml-dsa-44": ML_DSA_44, "ed25519": COSIGNATURE_V1}


class Command(BaseCommand):
    help = "Watch a server's transparency log: cosign its checkpoints while they show one history."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url", help="the server, such as https://games.example.org")
        parser.add_argument("--folder", type=Path, default=DATA / "witness", help="default: %(default)s")
        parser.add_argument("--log-key", help="the verifier key of the log (default: URL/log/key)")
        parser.add_argument("--name", default=f"{socket.gethostname()}/witness", help="of a new witness")
        parser.add_argument("--algorithm", choices=KINDS, default="ml-dsa-44", help="of a new witness")
        parser.add_argument("--once", action="store_true", help="look once, and exit")
        parser.add_argument(
            "--listen", metavar="HOST:PORT", help="wait for checkpoints (tlog-witness) instead of polling"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["url"].startswith(SCHEMES) or not NAME.fullmatch(options["name"]):
            raise CommandError("The URL begins with http:// or https://. A name has no spaces and no +.")
        options["folder"].mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with hold_lock(options["folder"] / "lock"):
                self._run(LogReader(options["url"]), options)
        except LockTaken as error:
            raise CommandError(f"Another process uses {options['folder']}.", returncode=2) from error

    def _run(self, reader: LogReader, options: dict[str, Any]) -> None:
        try:
            log_key = parse_verifier_key(options["log_key"]) if options["log_key"] else None
            kind = KINDS[options["algorithm"]]
            witness = open_witness(options["folder"], options["name"], kind, log_key, reader)
        except (Unreachable, InvalidProof, InvalidNote) as error:
            raise CommandError(f"{error}", returncode=2) from error
        self.stdout.write(f"This witness: {witness.cosigner.verifier_key}\nThe log: {witness.log_key}")
        if options["listen"]:
            host, _, port = options["listen"].rpartition(":")
            with WitnessServer(witness, (host, int(port))) as server:
                server.serve_forever()
        while not self._look(witness, reader, once=options["once"]):
            time.sleep(POLL_S)  # a server cannot call a witness behind a router, so the witness asks

    def _look(self, witness: Witness, reader: LogReader, *, once: bool) -> bool:
        """Look at the log once. Returns `once`. Exits if the log is inconsistent."""
        try:
            witness.examine(reader, int(time.time()))
            self._send(witness, reader)
        except InconsistentLog as error:
            self.stderr.write(f"INCONSISTENT LOG: {error}. Evidence: {witness.folder}/evidence-1 and -2")
            sys.exit(1)
        except (Unreachable, InvalidProof, InvalidNote) as error:
            if once:
                raise CommandError(f"{error}", returncode=2) from error
            self.stderr.write(f"No checkpoint: {error}")
        return once

    def _send(self, witness: Witness, reader: LogReader) -> None:
        """Send the latest cosignature, again if an earlier attempt failed."""
        if latest := witness.latest():
            answer = post(reader.url("cosignatures"), str(latest).encode())
            size = witness.latest_checkpoint().size
            refused = "" if answer.status == HTTPStatus.NO_CONTENT else f" {answer.text}"
            self.stdout.write(f"Cosigned {size} entries.{refused}")


class WitnessServer(ThreadingHTTPServer):
    """Serves the witness protocol. Closes connections beyond MAX_CONNECTIONS, and slow ones."""

    request_queue_size = MAX_CONNECTIONS

    def __init__(self, witness: Witness, address: tuple[str, int], timeout_s: float = CONNECTION_S) -> None:
        super().__init__(address, handler(witness))
        self.timeout_s, self.free = timeout_s, BoundedSemaphore(MAX_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self.free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with closing(request.dup()) as same:
            cutoff = Timer(self.timeout_s, cut_off, [same, Event()])
            cutoff.daemon = True
            cutoff.start()
            try:
                super().process_request_thread(request, client_address)
            finally:
                cutoff.cancel()
                self.free.release()


def handler(witness: Witness) -> type[BaseHTTPRequestHandler]:
    """Return what answers a connection. Cosigns one checkpoint at a time."""
    cosigning = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if self.path != "/add-checkpoint":
                self._answer(HTTPStatus.NOT_FOUND)
                return
            if not length.isdecimal() or int(length) > MAX_NOTE_BYTES:
                self.close_connection = True
                self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                return
            try:
                body = self.rfile.read(int(length))
                with cosigning:
                    cosignature = witness.add_checkpoint(body, int(time.time()))
                self._answer(HTTPStatus.OK, str(cosignature))
            except Refused as refusal:
                self._answer(refusal.status, refusal.body)

        def do_GET(self) -> None:
            latest = witness.latest() if self.path == f"/{witness.origin_hash}/checkpoint" else None
            self._answer(HTTPStatus.OK if latest else HTTPStatus.NOT_FOUND, str(latest or ""))

        def _answer(self, status: HTTPStatus, body: str = "") -> None:
            content = body.encode()
            self.send_response(status)
            is_size = status == HTTPStatus.CONFLICT
            self.send_header("Content-Type", "text/x.tlog.size" if is_size else "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler
