import asyncio
from collections import Counter
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from crowdgame.rehearsal import context as context_module
from crowdgame.rehearsal.context import BATCH_SIZE, QUIET_S, Agenda
from crowdgame.rehearsal.join_keys import read_keys
from crowdgame.rehearsal.own_load import OwnLoad
from crowdgame.rehearsal.profile import PROFILES, Profile, draw_moments
from crowdgame.rehearsal.progress_display import Display
from crowdgame.rehearsal.rehearsal_report import build_report
from crowdgame.rehearsal.samples import Samples, Spread
from crowdgame.rehearsal.saved_seats import read_seats, write_seats
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.simulated_phone import Phone
from crowdgame.rehearsal.verdict import draw_mood
from crowdgame.rehearsal.wire import decode, encode, phone_address
from games.engine.game import SIDES, Side
from games.engine.registry import find_game, read_options
from tests.crowdgame.rehearsal.conftest import new_context
from tests.voting.gateway_helpers import playing
from tests.voting.positions import SIMULTANEOUS, a_turn, after
from voting import protocol
from voting.counting.methods.voting_method import METHODS

NO_SERVER = "http://127.0.0.1:9"


async def test_agenda_waits_until_nothing_is_added_and_yields_between_batches() -> None:
    agenda, done, seen = Agenda(), [0], [0]

    def add(count: int) -> None:
        for _ in range(count):
            agenda.add(lambda: done.__setitem__(0, done[0] + 1))

    add(BATCH_SIZE)
    for _ in range(4):
        await asyncio.sleep(QUIET_S / 2)
        assert not done[0]
        add(BATCH_SIZE // 2)
    async with asyncio.timeout(5):
        while seen[-1] < 3 * BATCH_SIZE:
            await asyncio.sleep(0)
            seen += [done[0]] if done[0] > seen[-1] else []
    assert seen == [0, BATCH_SIZE, 2 * BATCH_SIZE, 3 * BATCH_SIZE]


async def test_agenda_delays_nothing_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_module, "MAX_DELAY_S", 3 * QUIET_S)
    agenda, done = Agenda(), asyncio.Event()
    async with asyncio.timeout(10):
        while not done.is_set():
            agenda.add(done.set)
            await asyncio.sleep(QUIET_S / 10)


def test_display_warns_only_when_crowd_overloads_its_machine() -> None:
    for busy_s, warns in ((3.0, True), (0.0, False)):
        load, output = OwnLoad(), StringIO()
        load.busy_s = busy_s
        Display(output).finish(build_report(new_context(NO_SERVER), 1, load))
        assert ("the results show the crowd's own limits" in output.getvalue()) is warns


def test_samples_use_nearest_rank_percentiles() -> None:
    assert Samples().spread() is None
    assert Samples([5.04]).spread() == Spread(5.0, 5.0, 5.0)
    assert Samples(float(n) for n in range(100, 0, -1)).spread() == Spread(51.0, 100.0, 100.0)
    assert Samples([-3.0, 1500.0]).in_seconds() == Spread(1.5, 1.5, 1.5)


def test_saved_seats_are_private_and_bound_to_event_and_keys_have_titles(tmp_path: Path) -> None:
    file = tmp_path / "seats.json"
    assert read_seats(file, "HALL") == {}
    write_seats(file, "HALL", {0: "a", 11: "b"})
    assert read_seats(file, "HALL") == {0: "a", 11: "b"}
    assert read_seats(file, "OTHER") == {}
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("[]")
    with pytest.raises(ValueError, match="holds no seats"):
        read_seats(file, "HALL")
    file.write_text("Code,Name\nbcdf-ghjk,Ada\n\nKMNPQRST,Bob\n")
    assert read_keys(file, 2) == ("BCDFGHJK", "KMNPQRST")
    with pytest.raises(ValueError, match="too few for 3 phones"):
        read_keys(file, 3)


def test_phone_address_derives_from_server_url() -> None:
    for url, address in {
        "http://127.0.0.1:8000": "ws://127.0.0.1:8000/ws/phone",
        "http://hall.local/": "ws://hall.local/ws/phone",
        "https://play.example:8443/": "wss://play.example:8443/ws/phone",
        "http://[::1]:8000": "ws://[::1]:8000/ws/phone",
    }.items():
        assert phone_address(url) == address
    for url in ("", "hall.local", "ftp://hall.local", "http://", "http://hall:port", "http://h:99999"):
        with pytest.raises(ValueError, match=r"."):
            phone_address(url)


@pytest.mark.parametrize("name", ["short", "long" * 200])
def test_decode_shares_changes_and_equal_state_of_welcomes(name: str) -> None:
    changes = [protocol.EventEdited(seq=seq, at=0, state=replace(playing(1), name=name)) for seq in (1, 2)]
    yous = [protocol.You(token=token, team=1) for token in "ab"]
    welcomes = [protocol.PhoneWelcomed(now_at=7, seq=1, you=you, state=changes[0].state) for you in yous]
    sent = [*changes, changes[1], *welcomes]
    read: list[Any] = [decode(msgspec.json.encode(message)) for message in sent]
    assert read == sent
    assert read[1] is read[2]
    assert read[3].state is read[4].state


def test_decode_caches_broadcast_frames_and_rejects_invalid_ones() -> None:
    frame = b'{"type":"turnout.counted","turn":1,"connected":[1,2],"voted":[0,0]}'
    assert decode(frame) is decode(bytes(bytearray(frame)))
    own = b'{"type":"ballot.counted","turn":1,"choice":2,"sequence":3}'
    assert decode(own) == protocol.BallotCounted(turn=1, choice=2, sequence=3)
    for wrong in (b"", b"\xff", *(b'{"type":"%b"}' % t for t in (b"phone.welcomed", b"clock.synced", b"x"))):
        with pytest.raises(msgspec.DecodeError):
            decode(wrong)
    cast = protocol.BallotCast(turn=1, epoch=1, choice=2, sequence=3, blind="0a" * 16)
    ballot = b'"turn":1,"epoch":1,"choice":2,"sequence":3,"blind":"%b"' % (b"0a" * 16)
    assert encode(cast) == b'{"type":"ballot.cast",%b}' % ballot


def test_server_clock_uses_shortest_round_trip() -> None:
    local = iter([0.0, 0.2, 0.2, 0.31, 1.0, 1.0])
    clock = ServerClock(lambda: next(local))
    clock.welcome(5_000)
    clock.sync(0.0, 5_080)
    assert clock.now_ms() == pytest.approx(200 + 4_980)
    clock.sync(300.0, 5_300)
    assert clock.now_ms() == pytest.approx(1000 + 4_995)
    assert clock.until(6_000) == pytest.approx(0.005)


async def test_phone_keeps_newest_state_since_last_welcome() -> None:
    context = new_context(NO_SERVER)
    phone, states = Phone(0, context), [replace(playing(1), name=f"state {seq}") for seq in range(6)]

    def welcome(seq: int) -> None:
        phone.closed(protocol.CloseCode.RESTARTING, "")
        you = protocol.You(token="1.a.1:x", team=1)
        phone.receive(protocol.PhoneWelcomed(now_at=0, seq=seq, you=you, state=states[seq]))

    def newest_after(seq: int) -> object:
        phone.receive(protocol.EventEdited(seq=seq, at=0, state=states[seq]))
        assert context.state is states[context.seq]
        return context.seq

    welcome(1)
    assert [newest_after(seq) for seq in (3, 3, 2, 4)] == [3, 3, 3, 4]
    welcome(5)
    assert [newest_after(seq) for seq in (4, 5)] == [5, 5]
    states[2] = replace(playing(1), name="after a restore from a copy")
    welcome(2)
    assert [newest_after(seq) for seq in (1, 3)] == [2, 3]
    phone.leave()


async def test_phone_caps_retry_delay() -> None:
    phone, loop = Phone(0, new_context(NO_SERVER)), asyncio.get_running_loop()
    phone.receive(protocol.RetryAfter(within_ms=10 * protocol.MAX_RETRY_MS))
    phone.closed(protocol.CloseCode.CROWDED, "")
    assert phone._reconnect_timer
    assert 0 < phone._reconnect_timer.when() - loop.time() <= protocol.MAX_RETRY_MS / 1000
    phone.leave()


@pytest.mark.parametrize("moves", [((1, 7), (1, 7), (1, 6)), ((7, 1), (7, 1), (6, 1))])
def test_crowd_completes_its_own_four_and_blocks_its_opponents(moves: tuple[tuple[int, int], ...]) -> None:
    """Most of a hundred crowds, each picking by plurality."""
    state, picks = after(*moves), Counter[int]()
    for seed in range(100):
        rng = Random(seed)
        mood = draw_mood(SIMULTANEOUS.view(state, None), a_turn(state), "red", rng)
        picks[Counter(mood.choose(rng) for _ in range(50)).most_common(1)[0][0]] += 1
    assert picks.most_common(1)[0][0] == 1


@given(st.integers(0, 2**32), st.sampled_from(SIDES), st.sampled_from(sorted(METHODS)))
def test_mood_weights_legal_columns_and_votes_by_the_tally_method(seed: int, side: Side, name: str) -> None:
    rng = Random(seed)
    state = after(*(((1, 1),) * 3), *(((4, 3),) * rng.randrange(3)))
    mood = draw_mood(SIMULTANEOUS.view(state, None), a_turn(state), side, rng)
    assert mood.columns == (2, 3, 4, 5, 6, 7)
    assert all(weight > 0 for weight in (*mood.board_weights, *mood.random_weights))
    assert mood.choose(rng) in mood.columns
    choices = [mood.vote(rng, name) for _ in range(20)]
    assert all(METHODS[name].accepts(choice, mood.columns, may_resign=False) for choice in choices)
    assert (max(choices) > 7) is METHODS[name].allows(mood.columns[:2])


@given(st.sampled_from(PROFILES), st.floats(0, 1e13), st.floats(0, 3e9), st.randoms(use_true_random=False))
def test_moments_are_sorted_in_window(profile: Profile, begins: float, length: float, rng: Random) -> None:
    moments = draw_moments(profile, begins, begins + length, rng)
    assert len(moments) in (1, 2)
    assert moments == sorted(moments)
    assert all(begins <= moment <= begins + length for moment in moments)


def test_profiles_vote_early_late_or_spread() -> None:
    rng = Random(1)
    drawn = {p: sorted(m for _ in range(500) for m in draw_moments(p, 0, 20_000, rng)) for p in PROFILES}
    assert drawn["burst"][-1] <= 2_000
    assert drawn["burst"][len(drawn["burst"]) // 2] > 700
    assert drawn["last-second"][0] > 18_500
    assert drawn["spread"][50] < 5_000
    assert drawn["spread"][-50] > 12_000


@pytest.mark.parametrize("slug", ["goofspiel", "trails"])
def test_mood_covers_all_legal_actions_of_custom_boards(slug: str) -> None:
    game = find_game(slug)
    state = game.start(game.draw_lots(read_options(game, {}), 1))
    mood = draw_mood(game.view(state, None), a_turn(state, game=game), "red", Random(1))
    assert mood.columns == game.legal_actions(state, "red")
    assert {mood.choose(Random(seed)) for seed in range(200)} == set(mood.columns)
