"""Run crowdgame on this machine: everything it needs, and a demo event with a crowd that plays in it."""

import argparse
import json
import os
import socket
from pathlib import Path

from crowdgame.server.laptop import lock, startup
from crowdgame.server.laptop.network import (
    ANY_HOST,
    free_port,
    is_port_free,
    lan_address,
    supports_reuse_port,
)
from crowdgame.server.laptop.paths import DATA, INSTALLED, PLAY_COMMAND, display_path
from crowdgame.server.laptop.secret import load_secret_key
from crowdgame.server.laptop.stack import SERVERS, Stack, crowd
from crowdgame.server.laptop.steps import StepFailed, in_background, run_command
from crowdgame.server.laptop.stop_signals import wait_for_interrupt
from crowdgame.server.laptop.supervisor import Supervisor
from crowdgame.server.laptop.terminal import print_line
from crowdgame.server.laptop.welcome import print_welcome

# In ALLOWED_HOSTS, accepts any IP address as host: the address changes with a hotspot or a new DHCP lease.
ANY_ADDRESS = "ANY_ADDRESS"  # must match `crowdgame.settings`
MAX_PORT = 65_535
ENVIRONMENT_NAME = "environment.json"  # must match `crowdgame.__main__`
# Earlier versions let every user of this machine read these.
PRIVATE = ("db.sqlite3", "db.sqlite3-shm", "db.sqlite3-wal", "crowd.seats", "logs", "valkey")


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="crowdgame play", description=__doc__)
    parser.add_argument("--host", default=ANY_HOST, help="listen on this address only")
    parser.add_argument(
        "--port", type=port_number, default=os.environ.get("PORT") or 8000, help="default: 8000"
    )
    parser.add_argument("--phones", type=int, default=200, help="simulated phones (default: 200)")
    parser.add_argument("--no-crowd", dest="phones", action="store_const", const=0, help="no demo event")
    parser.add_argument(
        "--gateways",
        type=positive_int,
        default=default_gateway_count(),
        help="gateways that share the port (default: one per core)",
    )
    parser.add_argument("--prepare", action="store_true", help="only migrate the database")
    return parser.parse_args(arguments)


def positive_int(text: str) -> int:
    """Parse a positive integer, as an argparse type. Raises ValueError."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def port_number(text: str) -> int:
    """Parse a port, as an argparse type. Raises ValueError."""
    number = positive_int(text)
    if number > MAX_PORT:
        raise ValueError(text)
    return number


def default_gateway_count() -> int:
    """Return one gateway per core, or 1 where gateways cannot share a port."""
    return len(os.sched_getaffinity(0)) if supports_reuse_port() else 1


def build_stack(host: str, port: int, gateways: int) -> Stack:
    """Build the stack for this machine and network; environment variables override the defaults.

    Raises StepFailed if GATEWAY names an unknown server.
    """
    shown = lan_address() if host == ANY_HOST else host
    redis_url = os.environ.get("REDIS_URL", "")
    return Stack(
        data=DATA,
        secret_key=load_secret_key(DATA),
        host=host,
        port=port,
        public_url=os.environ.get("PUBLIC_URL") or f"http://{shown}:{port}",
        allowed_hosts=_allowed_hosts(shown),
        valkey_port=0 if redis_url else free_port(),
        redis_url=redis_url,
        server=_server(),
        gateways=gateways if supports_reuse_port() else 1,
        database_url=os.environ.get("DATABASE_URL", ""),
        box_url=os.environ.get("BALLOT_BOX_URL", ""),
        email_url=os.environ.get("EMAIL_URL", ""),
        webhooks=os.environ.get("WEBHOOKS") or "off",
    )


def _server() -> str:
    named = os.environ.get("GATEWAY") or SERVERS[0]
    if named not in SERVERS:
        raise StepFailed(f"unknown server {named}; try GATEWAY={' or GATEWAY='.join(SERVERS)}")
    return named


def _allowed_hosts(shown: str) -> tuple[str, ...]:
    name = socket.gethostname()
    named = [part for part in os.environ.get("ALLOWED_HOSTS", "").split(",") if part]
    return tuple(dict.fromkeys([shown, name, f"{name}.local", "localhost", ANY_ADDRESS, *named]))


def run_stack(stack: Stack, phones: int) -> None:
    """Run until interrupted, then stop every process. Raises StepFailed if a part does not start."""
    with Supervisor(stack.logs, print_line) as supervisor:
        try:
            open_stack(stack, supervisor, phones)
            wait_for_interrupt()
        except KeyboardInterrupt:
            print_line("\nstopping …")


def open_stack(stack: Stack, supervisor: Supervisor, phones: int) -> None:
    """Start the stack; print the links. With `phones`, also run the demo event. Raises StepFailed.

    Workers start last: the links work without them, and they take seconds of a core to start. Also, without
    phones, no scheduler may start the next match of the demo event before it is stopped.
    """
    startup.start_ballot_box(stack, supervisor)
    with in_background(lambda: startup.collect_static(stack)):
        startup.migrate(stack)
    startup.start_gateways(stack, supervisor)
    links = startup.start_demo_event(stack) if phones else startup.stop_demo_event(stack)
    startup.wait_for_pages(stack, supervisor)
    startup.start_workers(stack, supervisor)
    if phones:
        supervisor.start(crowd(stack, links.code, phones))
    write_environment(stack)
    print_welcome(links, stack, phones)


def write_environment(stack: Stack) -> None:
    """Store the stack's environment variables, so that commands in another terminal use the same ones."""
    (stack.data / ENVIRONMENT_NAME).write_text(json.dumps(dict(stack.env)))


def make_private(data: Path) -> None:
    """Let only this user read the files in `data`, also those that exist already."""
    os.umask(0o077)
    data.mkdir(parents=True, exist_ok=True)
    for path in (data / name for name in PRIVATE):
        if path.exists():
            path.chmod(path.stat().st_mode & 0o700)


def play(asked: argparse.Namespace) -> None:
    """Run until interrupted. Raises StepFailed, OSError or KeyboardInterrupt."""
    show_other_data()
    make_private(DATA)
    if INSTALLED:
        os.chdir(DATA)  # no program finds modules in the folder from which it was started
    try:
        with lock.hold_lock(DATA / "play.lock"):
            if not is_port_free(asked.host, asked.port):
                raise StepFailed(f"port {asked.port} is in use; try PORT={asked.port + 1} {PLAY_COMMAND}")
            stack = build_stack(asked.host, asked.port, asked.gateways)
            if asked.prepare:
                startup.migrate(stack)
            else:
                run_stack(stack, asked.phones)
    except lock.LockTaken:
        raise StepFailed(
            f"crowdgame is already running in this folder (data in {display_path(DATA)})"
        ) from None


def show_other_data() -> None:
    """Name the data of a clone in the current folder, which earlier versions used."""
    other = Path(".play").absolute()
    if other != DATA and (other / "db.sqlite3").is_file():
        print_line(f"  There is other data in this folder. To use it: {PLAY_COMMAND} --data .play")


def main(arguments: list[str]) -> int:
    """Run `crowdgame play` and return the exit status."""
    return run_command(lambda: play(parse_arguments(arguments)))
