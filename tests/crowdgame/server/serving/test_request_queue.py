import asyncio
from functools import partial

from crowdgame.server.serving.request_queue import RequestQueue


async def test_request_queue_starts_few_requests_in_each_iteration() -> None:
    """All in the order in which they came, also those that come while others wait."""
    queue, started = RequestQueue(), list[int]()
    for number in range(100):
        queue.add(partial(started.append, number))
    while len(started) < 150:
        before = len(started)
        await asyncio.sleep(0)
        assert len(started) <= before + 2
        if before < 50 <= len(started):
            for number in range(100, 150):
                queue.add(partial(started.append, number))
    assert started == list(range(150))


async def test_request_queue_continues_after_failure() -> None:
    queue, started = RequestQueue(), list[int]()
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    for number in (0, 1):
        queue.add(partial([].pop))
        queue.add(partial(started.append, number))
    for _ in range(10):
        await asyncio.sleep(0)
    assert started == [0, 1]
