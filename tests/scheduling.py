"""Distribute tests over the processes of pytest-xdist: `-p tests.scheduling --dist loadfile`.

Each process takes one file at a time. The files that share a stack are taken by the same process, so that
only one is started. pytest-xdist knows no fixtures, so these files are recognized by their text.
"""

import re
from functools import cache

import pytest
from xdist.scheduler import LoadFileScheduling, Scheduling

from crowdgame.server.laptop.paths import ROOT

USES_SERVER = re.compile(r"\b(server: Server|clients: SocketClients|proxy: FaultProxy)\b")
OWN_SERVER = re.compile(r"^def server\(", re.MULTILINE)


@cache
def find_group(file: str) -> str:
    """Return the file, "stack" if it uses the shared stack, or the folder whose files share their own."""
    path = ROOT / file
    text = path.read_text()
    if not USES_SERVER.search(text) or OWN_SERVER.search(text):
        return file
    conftest = path.with_name("conftest.py")
    has_own = conftest.exists() and OWN_SERVER.search(conftest.read_text())
    return str(path.parent.relative_to(ROOT)) if has_own else "stack"


class GroupScheduling(LoadFileScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    def _split_scope(self, nodeid: str) -> str:  # the way to group tests that pytest-xdist documents
        return find_group(super()._split_scope(nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    return GroupScheduling(config, log)
