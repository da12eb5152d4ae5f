"""A simulated phone recovers like a real one: it applies the last welcome, then anything newer."""

import asyncio
from dataclasses import replace

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.rehearsal.simulated_phone import Phone
from tests.voting.fake_server import FakeServer
from tests.voting.rehearsal_helpers import (
    PHONES,
    PLAN,
    assert_ledgers_agree,
    new_context,
    rehearse,
    until_voted,
)
from voting.protocol import EventEdited, PhoneWelcomed, You

KINDS = ["change", "change", "lost", "again", "again", "welcome", "back"]
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 30)), max_size=40)


class StateHistory:
    """The states a server has announced; after a restore from a copy they continue differently."""

    def __init__(self) -> None:
        self.base = FakeServer().state()
        self.states = [self.base]
        self.changes = 0

    def change(self) -> None:
        self.changes += 1
        self.states.append(msgspec.structs.replace(self.base, name=f"state {self.changes}"))

    def frame(self, seq: int) -> EventEdited:
        return EventEdited(seq=seq, at=0, state=self.states[seq])

    def welcome(self) -> PhoneWelcomed:
        you = You(token="1.a.1:x", team=1)
        return PhoneWelcomed(now_at=0, seq=len(self.states) - 1, you=you, state=self.states[-1])


@given(steps=STEPS)
def test_phone_keeps_newest_state_since_last_welcome(steps: list[tuple[str, int]]) -> None:
    async def run_steps() -> None:
        context = new_context("http://127.0.0.1:9")
        phone, history = Phone(0, context), StateHistory()

        def welcome() -> int:
            phone._seq = -1  # as after a lost connection
            phone.receive(history.welcome())
            return len(history.states) - 1

        newest = welcome()
        for step, number in steps:
            if step in {"change", "lost"}:
                history.change()
            if step == "back":
                del history.states[number % len(history.states) + 1 :]
            if step in {"welcome", "back"}:
                newest = welcome()
            elif step != "lost":
                seq = len(history.states) - 1 if step == "change" else number % len(history.states)
                phone.receive(history.frame(seq))
                newest = max(newest, seq)
            assert (phone._seq, phone._state) == (newest, history.states[newest])
            assert (context.seq, context.state) == (newest, history.states[newest])
        phone.leave()

    asyncio.run(run_steps())


def test_crowd_draws_one_blind_per_choice_and_records_it() -> None:
    fake = FakeServer()
    report = rehearse(fake)
    secrets: dict[tuple[str, int, int], set[str | None]] = {}
    for voter, cast in fake.casts:
        secrets.setdefault((voter, cast.turn, cast.sequence), set()).add(cast.blind)
    assert all(len(drawn) == 1 and None not in drawn for drawn in secrets.values())
    assert len(set.union(*secrets.values())) == len(secrets)
    for entry in report.turns:
        for phone, (_, sequence) in entry.acknowledged.items():
            assert {entry.blinds[phone]} == secrets[report.voters[phone], entry.turn, sequence]


def test_phones_resend_ballots_missing_after_reconnect() -> None:
    """No new epoch announces the loss: the gateway that would have noticed it has lost its connections."""

    async def lose_ballots(fake: FakeServer) -> None:
        await until_voted(fake, PHONES)
        fake.ballots = {}
        for socket in list(fake.sockets):
            await socket.close(4006)

    fake = FakeServer(window_ms=4000)
    report = rehearse(fake, replace(PLAN, turns=1), lose_ballots)
    assert len(fake.sealed[1]) == PHONES
    assert report.ballots.lost == 0
    assert_ledgers_agree(report, fake)
