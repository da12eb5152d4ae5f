"""Run `crowdgame play` as its user does, until Ctrl-C."""

import re
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from crowdgame.server.laptop.network import LOOPBACK, free_port
from tests.deploy.processes import marked, wait_until

START_S = 300


@dataclass(frozen=True)
class Play:
    process: psutil.Popen
    output: Path
    port: int

    @property
    def said(self) -> str:
        return self.output.read_text()

    @property
    def links(self) -> dict[str, str]:
        """The printed addresses by their labels."""
        return dict(re.findall(r"^  (\w+) +(http\S+)$", self.said, re.MULTILINE))


@contextmanager
def playing(
    program: Sequence[str | Path], data: Path, *options: str, env: Mapping[str, str]
) -> Iterator[Play]:
    """Run `play` with its data in `data` until the end of the block, then press Ctrl-C.

    Yields once the addresses are printed. The output is in the file `said` beside the data.
    """
    port, output = free_port(), data.parent / "said"
    argv = [*program, "--data", data, "play", "--host", LOOPBACK, "--port", str(port), *options]
    with (
        output.open("w") as file,
        psutil.Popen(
            argv, cwd=data.parent, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
        ) as process,
    ):
        play = Play(process, output, port)
        try:
            wait_until(lambda: "Ctrl-C" in play.said or process.poll() is not None, START_S)
            assert process.poll() is None, play.said
            yield play
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
    assert not marked(data)
