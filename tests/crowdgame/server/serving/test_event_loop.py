import asyncio
import sys

import pytest

from crowdgame.server.serving.event_loop import new_event_loop


def test_event_loop_is_that_of_asyncio_without_uvloop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    loop = new_event_loop()
    loop.close()
    assert isinstance(loop, asyncio.BaseEventLoop)
