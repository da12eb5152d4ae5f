"""A box that came back from an older copy of itself: whoever was told more notices, and it is given up.

The copies are the store's own: what was in it a moment ago is put back while the votes go on.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st
from redis import Redis, RedisError

from deploy.laptop.network import free_port
from deploy.laptop.stack import Stack
from deploy.laptop.startup import start_box
from deploy.laptop.supervisor import Supervisor
from games.models import Turn, TurnState
from tests.voting.playing import ballots, open_now, play_turn, run_out, start
from tests.voting.test_ballot_box import R1, Y2, ask, cast, running, turn
from voting.archive import store_ballots
from voting.ballot_box import AsyncBallotBox, BallotBox, BoxedTurn, Cast, Lost, Sealed
from voting.ballots import Ballot, unpack_ballots
from voting.clock import Clock
from voting.models import Announcement, StoredBallot, TallyRecord
from voting.turns import boxed, close_turn, load_turn, restore_turn

__all__ = ["turn"]

LONG_S = 86_400
THIRD = Ballot("v3", "red", 1, 1)
Copied = dict[bytes, bytes]


def copy_all() -> Copied:
    with Redis.from_url(settings.REDIS_URL) as redis:
        return {key: redis.dump(key) for key in redis.keys("crowdgame:*")}


def put_back(copy: Copied) -> None:
    """All that was done since is forgotten, as by a replica that takes over or an older file."""
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.flushall()
        for key, value in copy.items():
            redis.restore(key, 0, value)


def empty() -> None:
    put_back({})


async def votes(box: AsyncBallotBox, turn: BoxedTurn, *ballots: Ballot, epoch: int = 0) -> list[int]:
    return await box.cast(turn.event_id, turn.turn_id, epoch or turn.epoch, ballots)


async def beats(box: AsyncBallotBox, turn: BoxedTurn) -> None:
    await box.beat(turn.event_id, "a", (turn.turn_id, turn.epoch), (0, 0), 0)


def with_gateways(count: int, conversation: Callable[..., Awaitable[Any]]) -> None:
    """Each a client of the box with a memory of its own."""

    async def held() -> None:
        boxes = [AsyncBallotBox() for _ in range(count)]
        try:
            await conversation(*boxes)
        finally:
            for box in boxes:
                await box.close()

    asyncio.run(held())


def is_given_up(turn: BoxedTurn, box: BallotBox) -> bool:
    """For all that ask, whatever they know of it."""
    at_its_end = replace(turn, version=turn.version + 1, closes_at=box.now())
    answers = cast(turn, Ballot("latecomer", "red", 1, 1)), box.place(turn, create=False)
    lost = answers == ([Cast.UNKNOWN], False)
    assert lost or answers == ([Cast.OK], True)
    assert lost == (box.seal(at_its_end) == Lost())
    return lost


def test_an_older_box_takes_no_ballot_of_whoever_was_told_more(turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1)
        older = copy_all()
        assert await votes(gateway, turn, Y2) == [Cast.OK]
        put_back(older)
        assert await votes(gateway, turn, R1, THIRD) == [Cast.UNKNOWN] * 2

    with_gateways(1, conversation)
    assert is_given_up(turn, box)


def test_an_older_box_is_noticed_though_nobody_votes(turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1)
        older = copy_all()
        await votes(gateway, turn, Y2)
        put_back(older)
        await beats(gateway, turn)

    with_gateways(1, conversation)
    assert is_given_up(turn, box)


def test_what_others_bring_to_an_older_box_hides_nothing(turn: BoxedTurn, box: BallotBox) -> None:
    """They may bring it past the number of ballots that was acknowledged."""

    async def conversation(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        await votes(other, turn, R1)
        older = copy_all()
        await votes(one, turn, Y2)
        put_back(older)
        for number in range(5):
            assert await votes(other, turn, Ballot(f"w{number}", "red", 1, 1)) == [Cast.OK]
        await beats(other, turn)
        assert box.place(turn, create=False)
        await beats(one, turn)

    with_gateways(2, conversation)
    assert is_given_up(turn, box)


def test_an_acknowledgement_of_what_another_brought_is_one_too(turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        older = copy_all()
        await votes(one, turn, R1)
        assert await votes(other, turn, R1) == [Cast.DUP]
        put_back(older)
        await beats(other, turn)

    with_gateways(2, conversation)
    assert is_given_up(turn, box)


def test_a_copy_that_lacks_nothing_acknowledged_goes_on(turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        await votes(one, turn, R1)
        await votes(other, turn, Y2)
        put_back(copy_all())
        assert await votes(one, turn, R1, Y2) == [Cast.DUP] * 2
        await beats(other, turn)

    with_gateways(2, conversation)
    assert not is_given_up(turn, box)


def test_no_box_is_made_by_noticing_that_there_is_none(turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1)
        empty()
        await beats(gateway, turn)
        assert await votes(gateway, turn, R1) == [Cast.UNKNOWN]

    with_gateways(1, conversation)
    assert not any(key in copy_all() for key in map(str.encode, turn.keys))
    assert is_given_up(turn, box)


@pytest.mark.parametrize("gone", [0, 1])
def test_a_box_of_which_a_key_vanished_is_given_up(gone: int, turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1, Y2)
        with Redis.from_url(settings.REDIS_URL) as redis:
            redis.delete(turn.keys[gone])
        assert await votes(gateway, turn, R1, THIRD) == [Cast.UNKNOWN] * 2

    with_gateways(1, conversation)
    assert is_given_up(turn, box)


def test_a_restored_box_is_good_again_for_who_knows_of_it_and_who_does_not_yet(
    turn: BoxedTurn, box: BallotBox
) -> None:
    restored = replace(turn, version=2, epoch=2)

    async def conversation(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        await votes(one, turn, R1)
        older = copy_all()
        await votes(one, turn, Y2)
        await votes(other, turn, THIRD)
        put_back(older)
        await beats(one, turn)
        assert box.place(restored, create=True)
        await beats(other, turn)
        assert await votes(other, turn, THIRD) == [Cast.OK]
        assert await votes(one, restored, R1, Y2) == [Cast.DUP, Cast.OK]
        await beats(one, restored)

    with_gateways(2, conversation)
    assert box.place(restored, create=False)


@pytest.mark.parametrize("epoch", [1, 2])
def test_of_a_box_made_anew_nobody_was_told_anything(epoch: int, turn: BoxedTurn, box: BallotBox) -> None:
    """Only its ballots were lost: what it told before in this epoch is not in it, and that is noticed."""
    made = replace(turn, version=epoch, epoch=epoch)

    async def conversation(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1, Y2)
        with Redis.from_url(settings.REDIS_URL) as redis:
            redis.delete(turn.keys[1])
            assert box.place(made, create=True)
            assert not [field for field in redis.hkeys(turn.keys[0]) if field.startswith(b"told:")]
        await beats(gateway, made)

    with_gateways(1, conversation)
    assert is_given_up(made, box) == (epoch == 1)


def test_a_process_that_was_swapped_for_an_empty_one_is_noticed(tmp_path: Path, settings: Any) -> None:
    port = free_port()
    stacks = [
        Stack(data=tmp_path / name, secret_key="", port=0, valkey_port=port) for name in ("one", "other")
    ]
    settings.BALLOT_BOX_URL = stacks[0].redis
    box = BallotBox()

    async def conversation(gateway: AsyncBallotBox) -> None:
        with Supervisor(tmp_path / "logs") as supervisor:
            start_box(stacks[0], supervisor)
            turn = running(box)
            assert box.place(turn, create=True)
            assert await votes(gateway, turn, R1) == [Cast.OK]
        with Supervisor(tmp_path / "logs") as supervisor:
            start_box(stacks[1], supervisor)
            with pytest.raises(RedisError):  # the connection that is gone; who brings ballots tries again
                await beats(gateway, turn)
            await beats(gateway, turn)
            assert await votes(gateway, turn, R1) == [Cast.UNKNOWN]
            assert is_lost(turn)

    def is_lost(turn: BoxedTurn) -> bool:
        fresh = BallotBox()
        lost = not fresh.place(turn, create=False) and fresh.seal(turn) == Lost()
        fresh.close()
        return lost

    with_gateways(1, conversation)
    box.close()


# ------------------------------------------------------------------ anything, in any order
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["vote", "vote", "beat", "copy", "put back"]), st.integers(0, 1), st.integers(0, 5)
    ),
    max_size=25,
)


@dataclass
class Stage:
    """Two gateways at one turn, and what they acknowledged: each voter's last sequence."""

    turn: BoxedTurn
    gateways: Sequence[AsyncBallotBox]
    acknowledged: dict[str, int] = field(default_factory=dict)
    copies: list[Copied] = field(default_factory=lambda: [copy_all()])

    async def do(self, happening: tuple[str, int, int], sequence: int) -> None:
        step, who, number = happening
        if step == "copy":
            self.copies.append(copy_all())
        elif step == "put back":
            put_back(self.copies[number % len(self.copies)])
        elif step == "beat":
            await beats(self.gateways[who], self.turn)
        else:
            ballot = Ballot(f"v{number}", "red", number + 1, sequence)
            if await votes(self.gateways[who], self.turn, ballot) == [Cast.OK]:
                self.acknowledged[ballot.voter] = sequence


@how(max_examples=80)
@given(steps=STEPS)
def test_no_box_lacks_an_acknowledged_ballot_once_every_gateway_has_beaten(steps: list[Any]) -> None:
    """Either the box holds what each gateway acknowledged, or it is given up."""
    empty()
    box = BallotBox()
    turn = running(box)
    box.place(turn, create=True)
    stages: list[Stage] = []

    async def conversation(*gateways: AsyncBallotBox) -> None:
        stages.append(stage := Stage(turn, gateways))
        for sequence, step in enumerate(steps, 1):
            await stage.do(step, sequence)
        for gateway in gateways:
            await beats(gateway, turn)

    with_gateways(2, conversation)
    held = box.seal(replace(turn, version=2, closes_at=box.now()))
    box.close()
    if isinstance(held, Sealed):
        assert {ballot.voter: ballot.sequence for ballot in held.ballots} == stages[0].acknowledged
    else:
        assert held == Lost()
        assert any(step == "put back" for step, _, _ in steps)


# ------------------------------------------------------------------ the turn goes on
pytestmark = pytest.mark.django_db


def gateways_notice(turn: Turn, acknowledged: list[Ballot], then: Callable[[], None]) -> None:
    """One gateway takes the ballots, something happens, and it beats."""

    async def conversation(gateway: AsyncBallotBox) -> None:
        assert set(await votes(gateway, boxed(turn), *acknowledged)) <= {Cast.OK, Cast.DUP}
        then()
        await beats(gateway, boxed(turn))

    with_gateways(1, conversation)


def kinds(turn: Turn) -> list[str]:
    bodies = (
        Announcement.objects.filter(event=turn.match.event).order_by("seq").values_list("body", flat=True)
    )
    return [bytes(body).split(b'"', 4)[3].decode() for body in bodies]


def look_twice(box: BallotBox) -> None:
    clock = Clock(box)
    for _ in range(2):
        clock.tended_at = 0.0
        clock.look()


def resend(turn: Turn, acknowledged: list[Ballot]) -> list[int]:
    """As phones do at a new epoch."""
    return cast(boxed(load_turn(turn.pk)), *acknowledged)


def finish(turn: Turn, box: BallotBox) -> dict[str, list[int]]:
    run_out(load_turn(turn.pk), box)
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    return {record.side: record.counts for record in TallyRecord.objects.filter(turn=turn)}


def test_an_older_box_is_restored_by_the_clock_and_the_ballots_come_again(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    older, voted = copy_all(), ballots("red", [3, 3, 5]) + ballots("yellow", [2])
    gateways_notice(turn, voted, lambda: put_back(older))
    look_twice(box)
    assert (load_turn(turn.pk).epoch, kinds(turn)[-1]) == (2, "turn.restored")
    assert resend(turn, voted) == [Cast.OK] * 4
    assert finish(turn, box) == {"red": [0, 0, 2, 0, 1, 0, 0], "yellow": [0, 1, 0, 0, 0, 0, 0]}
    assert kinds(turn).count("turn.restored") == 1


@pytest.mark.parametrize("lost", ["emptied", "older"])
def test_a_box_lost_right_at_the_deadline_is_not_counted_but_extended_once(lost: str, box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    older, voted = copy_all(), ballots("red", [3, 3]) + ballots("yellow", [2])
    gateways_notice(turn, voted, empty if lost == "emptied" else lambda: put_back(older))
    run_out(turn, box)
    for _ in range(3):
        close_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.state, restored.epoch, kinds(turn).count("turn.restored")) == (TurnState.OPEN, 2, 1)
    assert restored.closes_at > box.now()
    assert not TallyRecord.objects.exists()
    assert resend(turn, voted) == [Cast.OK] * 3
    assert finish(turn, box)["red"][2] == 2


class LosesAll(BallotBox):
    """Its store is emptied right after the answer to a seal."""

    def seal(self, turn: BoxedTurn) -> Any:
        answer = super().seal(turn)
        empty()
        return answer


def test_what_was_sealed_counts_though_the_box_is_lost_before_it_is_written(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    cast(boxed(turn), *ballots("red", [3, 3]), *ballots("yellow", [2]))
    run_out(turn, box)
    forgetful = LosesAll()
    close_turn(turn.pk, forgetful)
    forgetful.close()
    resolved = load_turn(turn.pk)
    assert (resolved.state, resolved.epoch, resolved.red_pick) == (TurnState.RESOLVED, 1, 3)
    close_turn(turn.pk, box)
    assert "turn.restored" not in kinds(turn)


class Dies(Exception):
    pass


class DiesAfterSealing(LosesAll):
    def seal(self, turn: BoxedTurn) -> Any:
        super().seal(turn)
        raise Dies


def test_whoever_sealed_and_died_with_the_box_has_counted_nothing(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    voted = ballots("red", [3, 3]) + ballots("yellow", [2])
    cast(boxed(turn), *voted)
    run_out(turn, box)
    dying = DiesAfterSealing()
    with pytest.raises(Dies):
        close_turn(turn.pk, dying)
    dying.close()
    close_turn(turn.pk, box)
    assert (load_turn(turn.pk).epoch, TallyRecord.objects.exists()) == (2, False)
    assert resend(turn, voted) == [Cast.OK] * 3
    assert finish(turn, box)["red"] == [0, 0, 2, 0, 0, 0, 0]


def test_a_box_lost_twice_in_a_turn_is_restored_twice(box: BallotBox) -> None:
    turn, voted = start(box), ballots("red", [6, 6])
    open_now(turn, box)
    older = copy_all()
    for epoch in (2, 3):
        gateways_notice(load_turn(turn.pk), voted, partial(put_back, older))
        look_twice(box)
        assert (load_turn(turn.pk).epoch, kinds(turn).count("turn.restored")) == (epoch, epoch - 1)
        older = copy_all()
    assert resend(turn, voted) == [Cast.OK] * 2
    assert finish(turn, box)["red"][5] == 2


def test_a_turn_is_never_counted_empty_before_somebody_sent_again(box: BallotBox) -> None:
    """Not by a worker that comes late and not by the clock: only the extended window ends it."""
    turn = start(box)
    open_now(turn, box)
    cast(boxed(turn), R1)
    run_out(turn, box)
    empty()
    close_turn(turn.pk, box)
    for _ in range(3):
        close_turn(turn.pk, box)
        look_twice(box)
    assert (load_turn(turn.pk).state, load_turn(turn.pk).epoch) == (TurnState.OPEN, 2)


@pytest.mark.parametrize("lost", ["emptied", "older"])
def test_the_ballots_of_a_long_window_come_back_with_their_blinds(lost: str, box: BallotBox) -> None:
    turn = start(box, window_s=LONG_S)
    open_now(turn, box)
    older = copy_all()
    voted = [Ballot(b.voter, b.side, b.column, b.sequence, blind=f"{n:032x}") for n, b in enumerate(
        ballots("red", [4, 1]) + ballots("yellow", [2]), 1)]  # fmt: skip
    store_ballots(turn.pk, voted, now=5)
    gateways_notice(turn, voted, empty if lost == "emptied" else lambda: put_back(older))
    restore_turn(turn.pk, box)
    held = ask(lambda gateway: gateway.ballots_of(turn.match.event_id, turn.pk, [b.voter for b in voted]))
    assert {b.voter: b.blind for b in held.values()} == {b.voter: b.blind for b in voted}
    assert resend(turn, voted) == [Cast.DUP] * 3
    assert StoredBallot.objects.filter(turn=turn).count() == 3
    finish(turn, box)
    sealed = TallyRecord.objects.get(turn=turn, side="red").sealed
    assert {b.voter: b.blind for b in unpack_ballots(bytes(sealed))} == {b.voter: b.blind for b in voted[:2]}


def test_the_next_turn_knows_nothing_of_the_one_before(box: BallotBox) -> None:
    """What a gateway was told in one turn gives up no box of another."""
    first = start(box)

    async def told(gateway: AsyncBallotBox) -> None:
        await votes(gateway, boxed(first), *ballots("red", [1, 1, 1]))

    open_now(first, box)
    with_gateways(1, told)
    play_turn(load_turn(first.pk), box, [1], [2])
    following = load_turn(first.match.turns.latest("number").pk)
    open_now(following, box)
    gateways_notice(following, ballots("red", [1]), lambda: None)
    assert not is_given_up(boxed(following), box)
