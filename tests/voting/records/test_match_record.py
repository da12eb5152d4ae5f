"""A match's record: counted again by the project and by the script that shares nothing with it."""

import copy
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import CommandError, call_command
from django.core.signals import request_finished
from django.db import close_old_connections, connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deploy.laptop.supervisor import Supervisor
from games.engine.record import read_record, replay
from games.models import Event, TurnState
from tests.voting.altering import ALTERATIONS, DISGUISES
from tests.voting.playing import RED_WINS, new_event, only_turn, open_now, play, start
from tests.voting.recording import MATCHES, Record, of_each_match, play_match, record_of
from voting.box.ballot_box import BallotBox
from voting.match.turns import start_match
from voting.models import TallyRecord
from voting.pages import record as record_pages
from voting.records.match_record import MatchRecord

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "docs" / "verify.py"


def load_script() -> Any:
    spec = spec_from_file_location("standalone", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


standalone = load_script()


@pytest.fixture(scope="module")
def records(django_db_setup: None, django_db_blocker: Any, valkey_process: Supervisor) -> dict[str, Record]:
    return of_each_match(django_db_blocker, lambda match: json.loads(msgspec.json.encode(record_of(match))))


def ours(record: Any, path: Path) -> tuple[int, str]:
    """What `manage.py verify` makes of it."""
    path.write_bytes(record if isinstance(record, bytes) else json.dumps(record).encode())
    out = StringIO()
    try:
        call_command("verify", str(path), stdout=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    except CommandError as refusal:
        return refusal.returncode, str(refusal)
    return 0, out.getvalue()


def theirs(record: Any, path: Path) -> tuple[int, str]:
    """What the script makes of it, in a process of its own with nothing of ours in reach."""
    path.write_bytes(record if isinstance(record, bytes) else json.dumps(record).encode())
    done = subprocess.run(
        [sys.executable, "-I", str(SCRIPT), str(path)],
        cwd=path.parent,
        env={},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_is_counted_again_by_both(name: str, records: dict[str, Record], tmp_path: Path) -> None:
    record = records[name]
    for counted in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert counted[0] == 0, counted[1]
        assert "RIGHT" in counted[1]
    assert ours(record, tmp_path / "record.json") == theirs(record, tmp_path / "record.json")


def test_the_matches_show_every_way_to_decide_and_to_end(records: dict[str, Record]) -> None:
    ways, ends = set(), set()
    for record in records.values():
        sides = [count[side] for count in record["counts"] for side in ("red", "yellow")]
        ways |= {side["decided_by"] for side in sides if side}
        ends.add((record["result"], record["ended_by"]))
    assert ways == {"plurality", "lottery", "first", "lot", "random", "pass", "forfeit"}
    assert ends == {("red", "board"), ("red", "forfeit"), ("draw", "forfeit"), ("open", None)}
    assert any(turn["red"] == turn["yellow"] is not None for turn in records["lots"]["turns"])


@pytest.mark.parametrize("name", ALTERATIONS)
def test_whatever_is_altered_both_say_where(name: str, records: dict[str, Record], tmp_path: Path) -> None:
    record, (alter, place) = copy.deepcopy(records["lots"]), ALTERATIONS[name]
    alter(record)
    for code, text in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert code == 1, text
        assert any(line.startswith(place) for line in text.splitlines()), text


@pytest.mark.parametrize("name", DISGUISES)
def test_what_only_looks_like_a_record_is_none_to_both(
    name: str, records: dict[str, Record], tmp_path: Path
) -> None:
    """Python takes true and 1.0 for 1, and of a key told twice the last; others may not."""
    text, path = json.dumps(records["lots"]), tmp_path / "record.json"
    altered = re.sub(*DISGUISES[name], text, count=1).encode()
    assert altered != text.encode()
    for code, said in (ours(altered, path), theirs(altered, path)):
        assert code == 1, said


def test_nothing_tells_which_ballots_are_of_the_same_voter(records: dict[str, Record]) -> None:
    blinds = [
        blind
        for record in records.values()
        for count in record["counts"]
        for side in ("red", "yellow")
        if count[side]
        for _, blind in count[side]["ballots"]
    ]
    assert len(blinds) == len(set(blinds)) > 20
    assert "red1" not in json.dumps(records)


# ------------------------------------------------------------------ damaged records
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.just("0" * 32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(thing: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a record."""
    parts = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
    for key, part in parts:
        yield (*way, key)
        yield from places(part, (*way, key))


def verdict(text: bytes, path: Path) -> bool:
    """Both come to an end of their own, and to the same."""
    path.write_bytes(text)
    said: int = standalone.main([str(path)])
    assert said == ours(text, path)[0], text
    return said == 0


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_no_damage_makes_either_stumble(
    data: st.DataObject, records: dict[str, Record], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = copy.deepcopy(records[data.draw(st.sampled_from(sorted(MATCHES)))])
    *way, last = data.draw(st.sampled_from(list(places(record))))
    thing = record
    for key in way:
        thing = thing[key]
    if data.draw(st.booleans()):
        del thing[last]
    else:
        thing[last] = data.draw(values)
    verdict(json.dumps(record).encode(), tmp_path / "record.json")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | values.map(lambda value: json.dumps(value).encode()))
@pytest.mark.parametrize("name", ["lots"])
def test_no_rubbish_makes_either_stumble(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes
) -> None:
    assert not verdict(text, tmp_path / "record.json")


@pytest.mark.parametrize("text", [b"", b"[" * 200_000, b'{"format":' + b"9" * 5_000 + b"}", b"\xff\xfe"])
def test_rubbish_of_a_kind_makes_neither_stumble(text: bytes, tmp_path: Path) -> None:
    assert ours(text, tmp_path / "record.json")[0] == theirs(text, tmp_path / "record.json")[0] == 1


def test_without_a_file_both_say_so(tmp_path: Path) -> None:
    missing = [sys.executable, "-I", str(SCRIPT), str(tmp_path / "none.json")]
    done = subprocess.run(missing, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    with pytest.raises(CommandError, match="No such file"):
        call_command("verify", str(tmp_path / "none.json"))


def test_names_do_not_move_the_cursor(records: dict[str, Record], tmp_path: Path) -> None:
    record = records["first"] | {"name": "\x1b[2J\u202eevil\ud800"}
    text = json.dumps(record).encode()
    assert "\x1b" not in ours(text, tmp_path / "record.json")[1]
    assert "\x1b" not in theirs(text, tmp_path / "record.json")[1]


# ------------------------------------------------------------------ taking a match out
def test_an_exported_record_is_a_game_record(box: BallotBox, tmp_path: Path) -> None:
    match = play_match(box, *MATCHES["lots"])
    path = tmp_path / "record.json"
    call_command("export", match.event.code.lower(), output=path)
    line = path.read_bytes()
    assert line.count(b"\n") == 1
    played = replay(read_record(line))
    assert (played.result, played.error) == ("red", None)
    assert len(played.resolutions) == match.turns.filter(state=TurnState.RESOLVED).count() > 5
    out = StringIO()
    call_command("export", match.event.code, match=1, stdout=out)
    assert out.getvalue().encode() == line


def test_what_is_not_there_is_not_exported(box: BallotBox, tmp_path: Path) -> None:
    event = new_event()
    for arguments in ({"code": event.code}, {"code": "ZZZZ"}, {"code": event.code, "match": 2}):
        with pytest.raises(CommandError, match="no such match"):
            call_command("export", arguments.pop("code"), **arguments)


def test_the_record_page_tells_what_is_resolved_and_nothing_of_the_open_turn(
    box: BallotBox, client: Client
) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2), (3, 3)])
    opened = only_turn(turn.match)
    open_now(opened, box)
    address = f"/record/{turn.match.event.code}/1.json"
    plain = client.get(address)
    assert (plain.status_code, plain["Content-Type"]) == (200, "application/json")
    assert plain["Cache-Control"] == "no-cache"
    record = msgspec.json.decode(plain.content, type=MatchRecord)
    assert record == record_of(turn.match)
    assert len(record.turns) == 2
    assert opened.seed not in plain.content.decode()
    packed = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    play(turn.match, box, [(1, 4), (1, 5), (1, 5)])
    over = client.get(address)
    assert "max-age" in over["Cache-Control"]
    assert msgspec.json.decode(over.content, type=MatchRecord).result == "red"
    assert turn.match.turns.filter(state=TurnState.RESOLVED).count() == 5


def test_a_finished_match_is_not_made_anew_for_the_next_one(box: BallotBox, client: Client) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS[:-1])
    address, seq = f"/record/{turn.match.event.code}/1.json", turn.match.event.seq

    def queries(asking: Callable[[], object]) -> int:
        with CaptureQueriesContext(connection) as asked:
            asking()
        return len(asked)

    def get() -> bytes:
        return client.get(address).content

    assert queries(get) > queries(get) == 2
    play(turn.match, box, RED_WINS[-1:])
    assert queries(get) > 2
    over = get()
    play(start_match(turn.match.event_id, box), box, [(3, 4)])
    assert Event.objects.get(pk=turn.match.event_id).seq > seq
    assert queries(get) == 2
    assert get() == over
    Event.objects.filter(pk=turn.match.event_id).update(name="A night")
    assert b"A night, match 1" in get()


def test_who_finds_all_hands_busy_is_told_to_come_again(box: BallotBox, client: Client) -> None:
    address = f"/record/{start(box).match.event.code}/1.json"
    with ExitStack() as hands:
        for _ in range(record_pages.AT_ONCE):
            assert client.get(address).status_code == 200
            hands.enter_context(record_pages.hands)
        busy = client.get(address)
        assert (busy.status_code, busy["Retry-After"]) == (503, "2")
    assert client.get(address).status_code == 200


def test_so_many_records_are_on_their_way_at_most(box: BallotBox, rf: RequestFactory) -> None:
    code = start(box).match.event.code

    def ask() -> HttpResponse:
        return record_pages.match_record(rf.get("/"), code, 1)

    under_way = [ask() for _ in range(record_pages.ON_THEIR_WAY)]
    assert {answer.status_code for answer in under_way} == {200}
    busy = ask()
    assert (busy.status_code, busy["Retry-After"]) == (503, "2")
    request_finished.disconnect(close_old_connections)  # they are the test's
    sent = under_way.pop()
    sent.close()
    request_finished.connect(close_old_connections)
    under_way.append(ask())
    assert [under_way[-1].status_code, ask().status_code] == [200, 503]
    under_way.pop()  # nobody sends it: its reader is gone
    assert ask().status_code == 200


def test_there_is_no_page_of_what_is_not_there(box: BallotBox, client: Client) -> None:
    event = new_event()
    for address in (f"/record/{event.code}/1.json", "/record/ZZZZ/1.json", f"/record/{event.code}/x.json"):
        assert client.get(address).status_code == 404
    assert client.post(f"/record/{event.code}/1.json").status_code == 405


def test_a_turn_of_before_the_commitments_is_exported_and_does_not_verify(
    box: BallotBox, tmp_path: Path
) -> None:
    match = play_match(box, *MATCHES["first"])
    TallyRecord.objects.update(root="")
    record = json.loads(msgspec.json.encode(record_of(match)))
    assert record["counts"][0]["red"]["root"] is None
    assert ours(record, tmp_path / "record.json")[0] == theirs(record, tmp_path / "record.json")[0] == 1
