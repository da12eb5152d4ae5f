"""A broadcaster sends each socket its frames in order, and all that it still has to get in one write."""

import asyncio
from dataclasses import dataclass, field

from voting.gateway.broadcaster import WRITES_PER_ITERATION, Broadcaster
from voting.gateway.frames import Frames, encode_text_frame, text_frame

SEAL, REVEAL, OPENED = map(text_frame, ("seal", "reveal", "opened"))


@dataclass(eq=False)
class Recorder:
    """A socket that records each write."""

    writes: list[tuple[str, ...]] = field(default_factory=list)

    def write(self, frame: str) -> None:
        self.writes.append((frame,))

    def write_frames(self, frames: Frames) -> None:
        assert frames.wire == b"".join(map(encode_text_frame, frames.texts))
        self.writes.append(frames.texts)

    def end(self, code: int, within_ms: int | None = None) -> None: ...


def test_held_frames_go_with_the_next_frames_in_one_write() -> None:
    broadcaster, phone, late, gone = Broadcaster(), Recorder(), Recorder(), Recorder()
    broadcaster.hold([phone, gone], SEAL)
    asyncio.run(broadcaster.flush())
    assert phone.writes == []
    broadcaster.add([phone, late], REVEAL)
    asyncio.run(broadcaster.flush())
    broadcaster.release()
    asyncio.run(broadcaster.flush())
    assert phone.writes == [("seal", "reveal")]
    assert late.writes == [("reveal",)]
    assert gone.writes == [("seal",)]


def test_released_frames_follow_earlier_ones() -> None:
    broadcaster, phone = Broadcaster(), Recorder()
    broadcaster.add([phone], OPENED)
    broadcaster.hold([phone], SEAL)
    broadcaster.release()
    broadcaster.add([phone], REVEAL)
    asyncio.run(broadcaster.flush())
    assert phone.writes == [("opened", "seal", "reveal")]


def test_held_frames_stay_in_order() -> None:
    broadcaster, phone = Broadcaster(), Recorder()
    broadcaster.hold([phone], OPENED)
    broadcaster.hold([phone], SEAL)
    broadcaster.add([phone], REVEAL)
    asyncio.run(broadcaster.flush())
    assert phone.writes == [("opened", "seal", "reveal")]


def test_frames_added_during_a_flush_join_those_not_yet_written() -> None:
    broadcaster = Broadcaster()
    phones = [Recorder() for _ in range(2 * WRITES_PER_ITERATION)]

    async def send() -> None:
        broadcaster.add(phones, SEAL)
        first = asyncio.create_task(broadcaster.flush())
        await asyncio.sleep(0)
        broadcaster.add(phones, REVEAL)
        await broadcaster.flush()  # the first flush writes these frames, too
        await first

    asyncio.run(send())
    reached, waiting = phones[:WRITES_PER_ITERATION], phones[WRITES_PER_ITERATION:]
    assert all(phone.writes == [("seal",), ("reveal",)] for phone in reached)
    assert all(phone.writes == [("seal", "reveal")] for phone in waiting)


def test_flushes_of_two_rooms_take_turns() -> None:
    large, small, phone = Broadcaster(), Broadcaster(), Recorder()
    crowd = [Recorder() for _ in range(3 * WRITES_PER_ITERATION)]

    async def send() -> None:
        large.add(crowd, REVEAL)
        small.add([phone], REVEAL)
        async with asyncio.TaskGroup() as flushes:
            flushes.create_task(large.flush())
            await flushes.create_task(small.flush())
            assert sum(len(one.writes) for one in crowd) < len(crowd)

    asyncio.run(send())
    assert phone.writes == [("reveal",)]


def test_frame_lengths_follow_rfc_6455() -> None:
    assert encode_text_frame("é") == b"\x81\x02\xc3\xa9"
    assert encode_text_frame("x" * 125)[:2] == b"\x81\x7d"
    assert encode_text_frame("x" * 126)[:4] == b"\x81\x7e\x00\x7e"
    assert encode_text_frame("x" * 65_535)[:4] == b"\x81\x7e\xff\xff"
    assert encode_text_frame("x" * 65_536)[:10] == b"\x81\x7f" + (65_536).to_bytes(8, "big")
