"""Exported records and reports: the command, the public pages, and an event as one file."""

import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from secrets import token_bytes

import msgspec
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import HttpResponseBase
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from crowdgame.results.reports import record_download as record_pages
from games.engine.record import read_record, replay
from tests.crowdgame.results.reports.test_report_pages import LOADED, Elements
from tests.monitoring.probes import own_refusals
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, play, start
from tests.voting.sample_matches import MATCHES, play_match, record_of
from tests.voting.verifiers import ours, theirs
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event, TallyRecord, TurnState
from voting.records.match_record import MatchRecord
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def test_exported_record_is_a_replayable_game_record(box: BallotBox, tmp_path: Path) -> None:
    match = play_match(box, *MATCHES["lots"])
    path, out = tmp_path / "record.json", StringIO()
    call_command("export", match.event.code.lower(), output=path)
    line = path.read_bytes()
    assert line.count(b"\n") == 1
    played = replay(read_record(line))
    assert (played.result, played.error) == ("red", None)
    assert len(played.resolutions) == match.turns.filter(state=TurnState.RESOLVED).count() > 5
    call_command("export", match.event.code, match=1, stdout=out)
    assert out.getvalue().encode() == line
    for unknown, number in ((new_event().code, None), ("ZZZZ", None), (match.event.code, 2)):
        with pytest.raises(CommandError, match="There is no such match"):
            call_command("export", unknown, match=number)


def test_record_page_omits_open_turn(box: BallotBox, client: Client) -> None:
    match = start(box).match
    play(match, box, [(1, 2), (3, 3)])
    opened = only_turn(match)
    open_now(opened, box)
    address = f"/record/{match.event.code}/1.json"
    plain = client.get(address)
    assert (plain.status_code, plain["Content-Type"]) == (200, "application/json")
    assert plain["Cache-Control"] == "no-cache"
    content = plain.getvalue()
    record = msgspec.json.decode(content, type=MatchRecord)
    assert record == record_of(match)
    assert len(record.turns) == 2
    assert opened.seed not in content.decode()
    assert client.get(address, headers={"Accept-Encoding": "gzip"})["Content-Encoding"] == "gzip"
    play(match, box, [(1, 4), (1, 5), (1, 5)])
    finished = client.get(address)
    assert "max-age" in finished["Cache-Control"]
    assert msgspec.json.decode(finished.getvalue(), type=MatchRecord).result == "red"


def test_finished_match_record_is_cached(box: BallotBox, client: Client) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS[:-1])
    event, seq = turn.match.event_id, turn.match.event.seq

    def get() -> tuple[int, bytes]:
        """The number of queries, and the record."""
        with CaptureQueriesContext(connection) as captured:
            content = client.get(f"/record/{turn.match.event.code}/1.json").getvalue()
        return len(captured), content

    assert get()[0] > get()[0] == 2
    play(turn.match, box, RED_WINS[-1:])
    queries, finished = get()
    assert queries > 2
    play(start_match(event, box), box, [(3, 4)])
    assert Event.objects.get(pk=event).seq > seq
    assert get() == (2, finished)
    Event.objects.filter(pk=event).update(name="A night")
    assert b"A night, match 1" in get()[1]


def test_record_page_returns_503_while_workers_are_busy(box: BallotBox, client: Client) -> None:
    address = f"/record/{start(box).match.event.code}/1.json"

    def ask_while_busy() -> HttpResponseBase:
        with ExitStack() as workers:
            for _ in range(record_pages.MAX_CONCURRENT):
                workers.enter_context(record_pages.export_slots)
            return client.get(address)

    before = own_refusals("download")
    busy = ask_while_busy()
    assert own_refusals("download") == before + 1
    assert (busy.status_code, busy["Retry-After"]) == (503, "2")
    assert client.get(address).status_code == 200
    assert ask_while_busy().status_code == 200, "the record is cached"


def test_stalled_downloads_end(box: BallotBox, rf: RequestFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    code = start(box).match.event.code
    monkeypatch.setattr(record_pages, "CHUNK_BYTES", 100)

    def begin_download() -> Iterator[bytes]:
        answer = record_pages.match_record(rf.get("/"), code, 1)
        assert isinstance(answer, record_pages.Download)
        chunks = iter(answer)
        next(chunks)
        return chunks

    whole = len(list(begin_download()))
    readers = [begin_download() for _ in range(record_pages.MAX_DOWNLOADS)]
    next(readers[0])
    more = [begin_download() for _ in range(2)]
    assert [len(list(reader)) for reader in readers[:4]] == [whole - 1, 0, 0, whole]
    assert [len(list(reader)) for reader in more] == [whole, whole]


def test_records_in_flight_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = [gzip.compress(token_bytes(1_000)) for _ in range(4)]
    monkeypatch.setattr(record_pages, "MAX_BYTES", 3_500)
    monkeypatch.setattr(record_pages, "CHUNK_BYTES", 100)
    readers = [iter(record_pages.Download(record, compressed=True)) for record in (packed[0], *packed)]
    first = [next(reader) for reader in readers]
    received = [chunk + b"".join(reader) for chunk, reader in zip(first, readers, strict=True)]
    assert [len(one) for one in received[:2]] == [100, 100]
    assert received[2:] == packed[1:]


def test_record_without_commitments_fails_verification(box: BallotBox, tmp_path: Path) -> None:
    match = play_match(box, *MATCHES["first"])
    TallyRecord.objects.update(root="")
    record = json.loads(msgspec.json.encode(record_of(match)))
    assert record["counts"][0]["red"]["root"] is None
    assert ours(record, tmp_path / "record.json")[0] == theirs(record, tmp_path / "record.json")[0] == 1


def test_downloaded_script_verifies_downloaded_record(client: Client, box: BallotBox, tmp_path: Path) -> None:
    match = start(box).match
    play(match, box, RED_WINS)
    response = client.get("/verify.py")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    script, record = tmp_path / "verify.py", tmp_path / "match.json"
    script.write_bytes(response.content)
    content = client.get(f"/record/{match.event.code}/1.json").getvalue()
    changed = content.replace(b'"result":"red"', b'"result":"yellow"')
    assert changed != content
    for downloaded, status in ((content, 0), (changed, 1)):
        record.write_bytes(downloaded)
        count = [sys.executable, "-I", str(script), str(record)]
        assert subprocess.run(count, capture_output=True, check=False).returncode == status


def test_verify_page_is_localized_and_closed(client: Client, settings: Settings, tmp_path: Path) -> None:
    settings.PAGES_DIR = tmp_path
    assert client.get("/verify").status_code == 503, "nothing is built"
    for file, text in (("verify.html", "in English"), ("verify.de.html", "auf Deutsch")):
        (tmp_path / file).write_text(text)
    for language, served in (("de", "auf Deutsch"), ("fr", "in English")):
        response = client.get("/verify", headers={"accept-language": language})
        assert response.content.decode() == served
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "connect-src 'self'" in policy
        assert "unsafe" not in policy
        assert response.headers["Cache-Control"] == "no-cache"
        assert not response.cookies
    assert client.post("/verify").status_code == 405


@pytest.fixture
def played(event: Event, box: BallotBox) -> Event:
    """Two matches are over, a dry run too, one is live; another event has one, too."""
    theirs = create_event(event.owner, "Theirs", ("<b>East", "West"))
    for one in (event, event, theirs):
        play(start_match(one.pk, box), box, RED_WINS)
    dry_run = start_match(event.pk, box)
    play(dry_run, box, RED_WINS)
    event.matches.filter(pk=dry_run.pk).update(rehearsed=True)
    play(start_match(event.pk, box), box, [(1, 2)])
    event.teams.filter(number=1).update(name="<b>North", color="#2f6fd0")
    Event.objects.filter(pk=event.pk).update(language="de")
    return event


def test_file_has_each_ended_match_and_loads_nothing(client: Client, played: Event) -> None:
    client.force_login(played.owner)
    answer = client.get(f"/console/{played.code}/report.html")
    file = answer.content.decode()
    elements = Elements(file).found
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{played.code}.html"'
    assert [line["id"] for tag, line in elements if tag == "article"] == ["1-match", "2-match"]
    assert {tag for tag, _ in elements}.isdisjoint({"script", "link", "iframe", "object", "embed", "form"})
    assert not [tag for tag, attributes in elements if LOADED & attributes.keys()]
    ids = Counter(attributes["id"] for _, attributes in elements if "id" in attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    targets = {attributes.get("href") or "#" for tag, attributes in elements if tag in {"a", "use"}}
    assert {target[1:] for target in targets if target[:1] == "#"} - ids.keys() <= {""}
    assert ("<b>" in file, "East" in file, '<html lang="de">' in file) == (False, False, True)
    assert "--red: #2f6fd0" in re.findall("<style>(.*?)</style>", file, re.DOTALL)[0]


def test_only_people_with_a_role_download_it(client: Client, played: Event, other: User) -> None:
    path = f"/console/{played.code}/report.html"
    assert client.get(path).status_code == 302
    client.force_login(other)
    assert client.get(path).status_code == 404
