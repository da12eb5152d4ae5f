"""Stacks that can be impaired: a proxy in front of Valkey, and settable clocks.

`Clocks` need a C compiler, which `make chaos` installs.
"""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from redis import Redis, RedisError

from tests.chaos.proxy import Proxy
from tests.server import Server

SOURCE = Path(__file__).with_name("settable_clock.c")
NO_COMPILER = "setting clocks needs a C compiler (cc): `make chaos` installs one"


@dataclass(frozen=True)
class Clocks:
    """A process with this `env` uses the clock offset in `file`, as if its machine's clock had been set.

    Only the time of day changes; CLOCK_MONOTONIC and sleeps do not.
    """

    file: Path

    @property
    def env(self) -> Mapping[str, str]:
        return {"LD_PRELOAD": str(_library(self.file.parent)), "CLOCK_FILE": str(self.file)}

    @property
    def off_s(self) -> float:
        return int.from_bytes(self.file.read_bytes(), "little", signed=True) / 1000

    def set(self, off_s: float) -> None:
        """Set the offset from the right time, with immediate effect."""
        with self.file.open("r+b") as file:
            file.write(round(off_s * 1000).to_bytes(8, "little", signed=True))


def clocks(file: Path) -> Clocks:
    """Create clocks without an offset."""
    file.write_bytes(bytes(8))
    return Clocks(file)


def _library(folder: Path) -> Path:
    library = folder / "settable_clock.so"
    if not library.exists():
        assert shutil.which("cc"), NO_COMPILER
        command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True)
    return library


@dataclass
class ChaosServer(Server):
    """A running stack whose processes reach Valkey through `proxy`; `valkey_url` is Valkey's own URL.

    `box_clock` is Valkey's clock, `own_clocks` that of all other processes; None if they cannot be set.
    """

    proxy: Proxy
    valkey_url: str
    box_clock: Clocks | None
    own_clocks: Clocks | None


def answers(url: str) -> bool:
    """Whether a Valkey answers within a second."""
    with Redis.from_url(url, socket_connect_timeout=1, socket_timeout=1) as redis:
        try:
            return bool(redis.ping())
        except RedisError:
            return False
