"""A simulated phone recovers as a real one does: the last welcome counts, then whatever is newer."""

import asyncio
from dataclasses import replace

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.rehearsal.phone import Phone
from tests.voting.fake_server import FakeServer
from tests.voting.rehearsal_helpers import (
    PHONES,
    PLAN,
    assert_the_books_agree,
    new_context,
    rehearse,
    until_voted,
)
from voting.protocol import EventEdited, PhoneWelcomed, You

KINDS = ["change", "change", "lost", "again", "again", "welcome", "back"]
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 30)), max_size=40)


class StateHistory:
    """A server's history; restored from a copy it goes on from there otherwise."""

    def __init__(self) -> None:
        self.base = FakeServer().state()
        self.states = [self.base]
        self.made = 0

    def change(self) -> None:
        self.made += 1
        self.states.append(msgspec.structs.replace(self.base, name=f"state {self.made}"))

    def frame(self, seq: int) -> EventEdited:
        return EventEdited(seq=seq, at=0, state=self.states[seq])

    def welcome(self) -> PhoneWelcomed:
        you = You(token="1.a.1:x", team=1)
        return PhoneWelcomed(now_at=0, seq=len(self.states) - 1, you=you, state=self.states[-1])


@given(steps=STEPS)
def test_of_what_came_since_the_last_welcome_the_newest_counts(steps: list[tuple[str, int]]) -> None:
    async def conversation() -> None:
        context = new_context("http://127.0.0.1:9")
        phone, history = Phone(0, context), StateHistory()

        def welcome() -> int:
            phone._seq = -1  # its line was cut
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

    asyncio.run(conversation())


def test_a_crowd_draws_a_secret_a_choice_and_its_book_keeps_those_that_count() -> None:
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


def test_phones_that_come_back_to_a_box_without_their_ballots_send_them_again() -> None:
    """No new epoch tells them: whoever would have noticed the loss is gone with their connection."""

    async def all_is_lost(fake: FakeServer) -> None:
        await until_voted(fake, PHONES)
        fake.ballots = {}
        for socket in list(fake.sockets):
            await socket.close(4006)

    fake = FakeServer(window_ms=4000)
    report = rehearse(fake, replace(PLAN, turns=1), all_is_lost)
    assert len(fake.sealed[1]) == PHONES
    assert report.ballots.lost == 0
    assert_the_books_agree(report, fake)
