"""The parts of a rehearsal that need no server."""

import asyncio
import itertools
import os
import signal
import subprocess
import sys
from collections import Counter
from io import StringIO
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from games.engine.game import SIDES, Picks, Side
from games.engine.registry import all_games, find_game, read_options
from tests.voting.small_hall import SmallHall
from voting.protocol import (
    BallotCast,
    BallotCounted,
    BallotRefused,
    Legal,
    PhoneWelcomed,
    Refusal,
    Turn,
    You,
)
from voting.rehearsal.address import Address
from voting.rehearsal.agenda import AT_ONCE, Agenda
from voting.rehearsal.display import Display
from voting.rehearsal.hall import Hall
from voting.rehearsal.judgement import cabinet_of, mood_of
from voting.rehearsal.kept_ballot import KeptBallot
from voting.rehearsal.kept_seats import read_seats, write_seats
from voting.rehearsal.ledger import Ledger
from voting.rehearsal.own_load import OwnLoad
from voting.rehearsal.profile import PROFILES, Profile, draw_moments
from voting.rehearsal.report import report_of, voters_of
from voting.rehearsal.samples import Samples, Spread
from voting.rehearsal.server_clock import ServerClock
from voting.rehearsal.wire import decode, encode, phone_address
from voting.seats import Seat, sign_seat

encode_any = msgspec.json.encode

ROOT = Path(__file__).parents[2]
SIMULTANEOUS = find_game("simultaneous-captains-mistress")


def a_turn(state: object, number: int = 1) -> Turn:
    red, yellow = (SIMULTANEOUS.legal_actions(state, side) for side in SIDES)
    return Turn(
        id=number,
        number=number,
        opens_at=0,
        closes_at=1,
        epoch=1,
        paused=False,
        left_ms=0,
        to_move=SIDES,
        legal=Legal(red=red, yellow=yellow),
    )


def after(*turns: tuple[int | None, int | None]) -> object:
    state = SIMULTANEOUS.start(read_options(SIMULTANEOUS, {}))
    for red, yellow in turns:
        state, _ = SIMULTANEOUS.resolve(state, Picks(red, yellow))
    return state


def favourite(state: object, side: Side) -> int:
    """What a hundred crowds pick most, each by most of its votes."""
    picks: Counter[int] = Counter()
    for seed in range(100):
        rng = Random(seed)
        mood = mood_of(SIMULTANEOUS.view(state, None), a_turn(state), side, rng)
        picks[Counter(mood.choose(rng) for _ in range(50)).most_common(1)[0][0]] += 1
    return picks.most_common(1)[0][0]


def test_a_crowd_completes_its_own_four() -> None:
    assert favourite(after((1, 7), (1, 7), (1, 6)), "red") == 1


def test_a_crowd_stops_the_others_four() -> None:
    assert favourite(after((7, 1), (7, 1), (6, 1)), "red") == 1


@given(st.integers(0, 2**32), st.sampled_from(SIDES))
def test_a_mood_has_only_legal_columns_and_some_hope_for_each(seed: int, side: Side) -> None:
    rng = Random(seed)
    state = after(*(((1, 1),) * 3), *(((4, 3),) * rng.randrange(3)))
    mood = mood_of(SIMULTANEOUS.view(state, None), a_turn(state), side, rng)
    assert mood.columns == (2, 3, 4, 5, 6, 7)
    assert all(weight > 0 for weight in (*mood.sense, *mood.gut))
    assert mood.choose(rng) in mood.columns


def test_crowds_of_moods_play_whole_matches_that_somebody_wins() -> None:
    results: Counter[str] = Counter()
    for seed in range(30):
        rng, state = Random(seed), after()
        for number in itertools.count(1):
            if SIMULTANEOUS.result(state) != "open":
                break
            turn, board = a_turn(state, number), SIMULTANEOUS.view(state, None)
            moods = (mood_of(board, turn, side, rng) for side in SIDES)
            picks = [Counter(m.choose(rng) for _ in range(50)).most_common(1)[0][0] for m in moods]
            state, _ = SIMULTANEOUS.resolve(state, Picks(*picks))
        results[SIMULTANEOUS.result(state)] += 1
    assert results["red"] >= 5
    assert results["yellow"] >= 5


def test_a_board_becomes_the_cabinet_it_shows() -> None:
    for game in all_games().values():
        state = game.start(game.draw_lots(game.options(), 0))
        for column in (1, 1, 4):
            state, _ = game.resolve(state, Picks(**{game.to_move(state)[0]: column}))
        assert cabinet_of(game.view(state, None)) == state.cabinet


@given(
    st.sampled_from(PROFILES),
    st.floats(0, 1e13),
    st.floats(0, 3_000_000_000),
    st.randoms(use_true_random=False),
)
def test_moments_lie_in_the_window_in_order(
    profile: Profile, begins: float, length: float, rng: Random
) -> None:
    moments = draw_moments(profile, begins, begins + length, rng)
    assert len(moments) in (1, 2)
    assert moments == sorted(moments)
    assert all(begins <= moment <= begins + length for moment in moments)


def test_profiles_are_early_late_or_all_over() -> None:
    rng = Random(1)
    drawn = {p: sorted(m for _ in range(500) for m in draw_moments(p, 0, 20_000, rng)) for p in PROFILES}
    assert drawn["burst"][-1] <= 2_000
    assert drawn["burst"][len(drawn["burst"]) // 2] > 700
    assert drawn["last-second"][0] > 18_500
    assert drawn["spread"][50] < 5_000
    assert drawn["spread"][-50] > 12_000


@pytest.mark.parametrize(
    ("code", "after_it"),
    [
        ("stale", "now"),
        ("early", "soon"),
        ("busy", "soon"),
        ("unknown", "wait"),
        ("late", "settled"),
        ("no_such_turn", "settled"),
        ("not_to_move", "settled"),
        ("illegal", "settled"),
    ],
)
def test_what_a_refusal_asks_of_a_phone(code: Refusal, after_it: str) -> None:
    kept = KeptBallot(turn=3, epoch=1, column=4, sequence=1)
    assert kept.refused(BallotRefused(turn=3, sequence=1, code=code, last=6)) == after_it
    assert kept.settled == (after_it == "settled")
    assert kept.cast().sequence == (7 if code == "stale" else 1)


def test_answers_to_other_ballots_settle_nothing() -> None:
    kept = KeptBallot(turn=3, epoch=1, column=4, sequence=2)
    assert not kept.counted(BallotCounted(turn=3, column=5, sequence=1))
    assert not kept.counted(BallotCounted(turn=2, column=4, sequence=2))
    kept.refused(BallotRefused(turn=2, sequence=2, code="late"))
    assert not kept.settled
    assert kept.counted(BallotCounted(turn=3, column=4, sequence=2))
    assert not kept.counted(BallotCounted(turn=3, column=4, sequence=2))


def test_a_choice_keeps_its_secret_and_a_stale_one_takes_it_along() -> None:
    kept = KeptBallot(turn=3, epoch=1, column=4, sequence=2, blinds={1: "a", 2: "b"})
    assert [kept.cast().blind for _ in range(2)] == ["b", "b"]
    kept.refused(BallotRefused(turn=3, sequence=2, code="stale", last=8))
    assert (kept.cast().sequence, kept.cast().blind) == (9, "b")


@pytest.mark.parametrize(
    ("turn", "sequence", "settled"),
    [(3, 2, True), (3, 1, False), (None, 0, False), (2, 5, False)],
    ids=["it holds it", "it holds an older one", "it holds none", "of another turn"],
)
def test_a_counted_ballot_that_the_box_does_not_hold_is_sent_again(
    turn: int | None, sequence: int, settled: bool
) -> None:
    kept = KeptBallot(turn=3, epoch=1, column=4, sequence=2, settled=True)
    kept.take_welcome(You(token="t", team=1, turn=turn, column=4, sequence=sequence))
    assert kept.settled == settled


def test_a_new_epoch_unsettles_the_ballot_and_leaves_its_sequence() -> None:
    turn = a_turn(after())
    kept = KeptBallot(turn=1, epoch=1, column=4, sequence=2, settled=True)
    assert not kept.take_epoch(turn)
    kept.epoch = 0
    assert kept.take_epoch(turn)
    assert (kept.settled, kept.cast()) == (False, BallotCast(turn=1, epoch=1, column=4, sequence=2))


def test_the_shortest_round_trip_tells_the_time() -> None:
    local = iter([0.0, 0.2, 0.2, 0.31, 1.0, 1.0])
    clock = ServerClock(lambda: next(local))
    clock.welcome(5_000)
    clock.told(0.0, 5_080)
    assert clock.now_ms() == pytest.approx(200 + 4_980)
    clock.told(300.0, 5_300)
    assert clock.now_ms() == pytest.approx(1000 + 4_995)
    assert clock.until(6_000) == pytest.approx(0.005)


def test_the_ledger_keeps_the_highest_sequence_and_only_so_many_turns() -> None:
    book = Ledger(turns_kept=2)
    for turn, column, sequence in ((1, 1, 1), (2, 1, 2), (2, 3, 1), (3, 2, 1), (2, 4, 5)):
        book.count_ballot(0, BallotCounted(turn=turn, column=column, sequence=sequence), newest=True)
    assert {turn: entry.acknowledged for turn, entry in book.turns.items()} == {
        2: {0: (4, 5)},
        3: {0: (2, 1)},
    }
    assert book.acknowledged == 4


def test_percentiles_are_of_the_nearest_rank() -> None:
    assert Samples().spread() is None
    assert Samples([5.04]).spread() == Spread(5.0, 5.0, 5.0)
    assert Samples(float(n) for n in range(100, 0, -1)).spread() == Spread(51.0, 100.0, 100.0)
    assert Samples([-3.0, 1500.0]).in_seconds() == Spread(1.5, 1.5, 1.5)


@pytest.mark.parametrize(
    ("acknowledged", "unsure", "counts", "missing"),
    [
        ({0: 4, 1: 4, 2: 5}, (), {1: (0, 0, 0, 2, 1)}, 0),
        ({0: 4, 1: 4, 2: 5}, (), {1: (0, 0, 0, 3, 7)}, 0),
        ({0: 4, 1: 4, 2: 5}, (), {1: (0, 0, 0, 1, 1)}, 1),
        ({0: 4, 1: 4, 2: 5}, (), {1: (1, 0, 0, 1, 1)}, 1),
        ({0: 4, 1: 4, 2: 5}, (1,), {1: (1, 0, 0, 1, 1)}, 0),
        ({0: 4, 1: 4, 2: 5}, (1,), {1: (0, 0, 0, 1, 1)}, 1),
        ({0: 4, 9: 2}, (), {1: (0, 0, 0, 1, 0), 2: (0, 0, 0, 0, 0)}, 1),
        ({0: 4, 9: 2}, (), {}, 0),
    ],
    ids=[
        "all in",
        "others voted too",
        "lost",
        "in another column",
        "second thoughts",
        "lost",
        "team",
        "not yet",
    ],
)
def test_an_acknowledged_ballot_must_be_in_the_tally(
    acknowledged: dict[int, int],
    unsure: tuple[int, ...],
    counts: dict[int, tuple[int, ...]],
    missing: int,
) -> None:
    book = Ledger()
    entry = book.turn(1)
    entry.acknowledged = {phone: (column, 1) for phone, column in acknowledged.items()}
    entry.open, entry.tallies = set(unsure), counts
    assert book.compare({phone: 2 if phone == 9 else 1 for phone in acknowledged}) == missing


def test_voters_are_known_by_their_tokens() -> None:
    assert voters_of({3: sign_seat(Seat(7, "abc", 2))}) == {3: "abc"}


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:8000", "ws://127.0.0.1:8000/ws/phone"),
        ("http://hall.local/", "ws://hall.local/ws/phone"),
        ("https://play.example:8443/", "wss://play.example:8443/ws/phone"),
        ("http://[::1]:8000", "ws://[::1]:8000/ws/phone"),
    ],
)
def test_the_phones_address_follows_from_the_servers(url: str, address: str) -> None:
    assert phone_address(url) == address


@pytest.mark.parametrize(
    "url", ["", "hall.local", "ftp://hall.local", "http://", "http://hall:port", "http://h:99999"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        phone_address(url)


def test_what_all_phones_hear_is_decoded_once() -> None:
    told = b'{"type":"turnout.counted","turn":1,"connected":[1,2],"voted":[0,0]}'
    assert decode(told) is decode(bytes(bytearray(told)))
    own = b'{"type":"ballot.counted","turn":1,"column":2,"sequence":3}'
    assert decode(own) == BallotCounted(turn=1, column=2, sequence=3)
    cast = BallotCast(turn=1, epoch=1, column=2, sequence=3, blind="0a" * 16)
    ballot = b'"turn":1,"epoch":1,"column":2,"sequence":3,"blind":"%b"' % (b"0a" * 16)
    assert encode(cast) == b'{"type":"ballot.cast",%b}' % ballot


def test_phones_that_come_in_one_moment_share_the_state() -> None:
    small = SmallHall()
    welcomes = [
        PhoneWelcomed(now_at=7, seq=1, you=You(token=token, team=1), state=small.state()) for token in "ab"
    ]
    read = [decode(encode_any(welcome)) for welcome in welcomes]
    assert read == welcomes
    assert isinstance(read[0], PhoneWelcomed)
    assert isinstance(read[1], PhoneWelcomed)
    assert read[0].state is read[1].state


def test_what_is_no_message_is_none() -> None:
    for frame in (
        b"",
        b"\xff",
        b'{"type":"phone.welcomed"}',
        b'{"type":"clock.told"}',
        b'{"type":"nonsense"}',
    ):
        with pytest.raises(msgspec.DecodeError):
            decode(frame)


def test_thinking_leaves_room_for_hearing() -> None:
    async def slices() -> list[int]:
        agenda, done, seen = Agenda(), [0], []
        for _ in range(3 * AT_ONCE - 1):
            agenda.add(lambda: done.__setitem__(0, done[0] + 1))
        for _ in range(4):
            seen.append(done[0])
            await asyncio.sleep(0)
        return seen

    assert asyncio.run(slices()) == [0, AT_ONCE, 2 * AT_ONCE, 3 * AT_ONCE - 1]


def test_a_crowd_that_measures_itself_says_so() -> None:
    def told(busy_s: float) -> str:
        hall = Hall("HALL", Address(""), "spread", ServerClock(float), Ledger(), Random(1))
        load, said = OwnLoad(), StringIO()
        load.busy_s = busy_s
        Display(Console(file=said, width=200)).finish(report_of(hall, 1, load))
        return said.getvalue()

    assert "the crowd is what is measured" in told(3.0)
    assert "the crowd is what is measured" not in told(0.0)


def test_seats_are_kept_for_their_own_event_and_owner(tmp_path: Path) -> None:
    file = tmp_path / "seats.json"
    assert read_seats(file, "HALL") == {}
    write_seats(file, "HALL", {0: "a", 11: "b"})
    assert read_seats(file, "HALL") == {0: "a", 11: "b"}
    assert read_seats(file, "OTHER") == {}
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("[]")
    with pytest.raises(ValueError, match="holds no seats"):
        read_seats(file, "HALL")


def command(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), "rehearse", *arguments]


ENVIRONMENT = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "REDIS_URL": "redis://127.0.0.1:1/0"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("HALL", "--url", "http://127.0.0.1:9"),
        ("HALL", "--url", "hall"),
        ("HALL", "--phones", "1000000000"),
        ("HALL", "--seats", "/"),
    ],
    ids=" ".join,
)
def test_trouble_is_one_clear_line(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stdout in ("", "knocking at the door\n")
    assert len(done.stderr.splitlines()) == 1
    if "1000000000" in arguments:
        assert "let several rehearsals run side by side" in done.stderr


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT], ids=lambda ending: ending.name)
def test_a_crowd_without_a_server_ends_when_told(ending: signal.Signals, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    with subprocess.Popen(
        command("HALL", "--url", "http://127.0.0.1:9", "--until-stopped", "--json", str(report)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"knocking at the door\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(ending)
        assert process.wait(10) == 0
    assert b'"joined":0' in report.read_bytes()
