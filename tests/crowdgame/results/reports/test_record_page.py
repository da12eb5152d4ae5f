import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import HttpResponseBase
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from crowdgame.maintenance.retention import anonymize_ballots
from crowdgame.results.reports import record_download as record_pages
from crowdgame.results.reports.study import HEADER, studied_matches, study_rows
from crowdgame.server.laptop.paths import ROOT
from games.engine.record import read_record, replay
from tests.crowdgame.results.reports.test_report_pages import FORBIDDEN, LOADED, Elements
from tests.monitoring.probes import own_refusals
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, play, play_turn, start, store
from tests.voting.sample_matches import MATCHES, play_match, record_of
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.events import create_event
from voting.matches import end_match
from voting.models import Event, Match, TallyRecord, TurnState
from voting.records.match_record import MatchRecord
from voting.sources.bots import ACCOUNT
from voting.sources.casting import derive_blind, derive_seat
from voting.sources.chat_casting import derive_chat_seat
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
CONSENT = "A study of the university: how do crowds agree? Ask Ada, room 12."


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


def test_busy_workers_return_503_unless_the_record_is_cached(box: BallotBox, client: Client) -> None:
    code = start(box).match.event.code
    record, file = f"/record/{code}/1.json", f"/report/{code}/1.html"

    def ask_while_busy(address: str) -> HttpResponseBase:
        with ExitStack() as workers:
            for _ in range(record_pages.MAX_CONCURRENT):
                workers.enter_context(record_pages.export_slots)
            return client.get(address)

    before = own_refusals("download")
    busy = ask_while_busy(record)
    assert own_refusals("download") == before + 1
    assert (busy.status_code, busy["Retry-After"]) == (503, "2")
    assert ask_while_busy(file).status_code == 503
    assert [client.get(address).status_code for address in (record, file)] == [200, 200]
    assert ask_while_busy(record).status_code == 200


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
    packed = [gzip.compress(Random(number).randbytes(1_000)) for number in range(4)]
    monkeypatch.setattr(record_pages, "MAX_BYTES", 3_500)
    monkeypatch.setattr(record_pages, "CHUNK_BYTES", 100)
    readers = [iter(record_pages.Download(record, compressed=True)) for record in (packed[0], *packed)]
    first = [next(reader) for reader in readers]
    received = [chunk + b"".join(reader) for chunk, reader in zip(first, readers, strict=True)]
    assert [len(one) for one in received[:2]] == [100, 100]
    assert received[2:] == packed[1:]
    slow = iter(record_pages.Download(packed[0], compressed=True))
    begun = next(slow)
    assert [b"".join(record_pages.Download(one, compressed=True)) for one in packed] == packed
    assert begun + b"".join(slow) == packed[0], "those that are complete don't count"


def test_script_of_the_verifier_is_served_as_text(client: Client) -> None:
    response = client.get("/verify.py")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response.content == (ROOT / "docs/verify.py").read_bytes()


def test_members_download_ended_matches(client: Client, event: Event, other: User, box: BallotBox) -> None:
    """Three matches are over, one of a game that is not installed any more, and a dry run; one is live.

    Another event has one, too.
    """
    theirs = create_event(event.owner, "Theirs", ("<b>East", "West"))
    for one in (event, event, event, theirs):
        play(start_match(one.pk, box), box, RED_WINS)
    event.matches.filter(number=2).update(game="removed-game")
    dry_run = start_match(event.pk, box)
    play(dry_run, box, RED_WINS)
    event.matches.filter(pk=dry_run.pk).update(rehearsed=True)
    play(start_match(event.pk, box), box, [(1, 2)])
    event.teams.filter(number=1).update(name="<b>North", color="#2f6fd0")
    Event.objects.filter(pk=event.pk).update(language="de")
    path = f"/console/{event.code}/report.html"
    assert client.get(path).status_code == 302
    client.force_login(other)
    assert client.get(path).status_code == 404
    client.force_login(event.owner)
    answer = client.get(path)
    file = answer.content.decode()
    elements = Elements(file).found
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{event.code}.html"'
    assert [line["id"] for tag, line in elements if tag == "article"] == ["1-match", "3-match"]
    assert {tag for tag, _ in elements}.isdisjoint(FORBIDDEN - {"base"})
    assert not [tag for tag, attributes in elements if LOADED & attributes.keys()]
    ids = Counter(attributes["id"] for _, attributes in elements if "id" in attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    targets = {attributes.get("href") or "#" for tag, attributes in elements if tag in {"a", "use"}}
    assert {target[1:] for target in targets if target[:1] == "#"} - ids.keys() <= {""}
    assert ("<b>" in file, "East" in file, '<html lang="de">' in file) == (False, False, True)
    assert "--red: #2f6fd0" in re.findall("<style>(.*?)</style>", file, re.DOTALL)[0]


def played(event: Event, box: BallotBox, *, ended: bool = True) -> Match:
    """Play two turns in which `red1` and `red2` vote alike, then end the match."""
    match = start_match(event.pk, box)
    for red, yellow in (([3, 3, 4], [1]), ([5, 5, 3], [2])):
        play_turn(only_turn(match), box, red, yellow)
    if ended:
        end_match(match, "draw", "board", box.now())
    return match


def rows_of(event: Event) -> list[dict[str, str]]:
    head, *rows = study_rows(event)
    assert head == HEADER
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_study_links_votes_of_a_voter_without_identity(box: BallotBox, client: Client) -> None:
    event = new_event(consent=CONSENT, in_study=True)
    played(event, box)
    rows = rows_of(event)
    by_voter: dict[str, list[str]] = {}
    for row in rows:
        by_voter.setdefault(row["voter"], []).append(f"{row['turn']}: {row['side']} {row['choice']}")
    assert sorted(by_voter) == ["1", "2", "3", "4"]
    red, other, yellow = ("1: red 3", "2: red 5"), ("1: red 4", "2: red 3"), ("1: yellow 1", "2: yellow 2")
    assert Counter(map(tuple, by_voter.values())) == {red: 2, other: 1, yellow: 1}
    picked = {f"{row['turn']}: {row['side']} {row['picked']}" for row in rows}
    assert picked == {"1: red 3", "1: yellow 1", "2: red 5", "2: yellow 2"}
    text = str(rows)
    assert "red1" not in text
    assert "yellow1" not in text
    firsts = {next(row["side"] + row["choice"] for row in rows_of(event)) for _ in range(60)}
    assert firsts == {"red3", "red4", "yellow1"}, "voters' numbers are shuffled"
    client.force_login(event.owner)
    response = client.get(f"/console/{event.code}/study.csv")
    lines = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))
    assert (tuple(lines[0]), len(lines)) == (HEADER, 1 + 8)
    assert "Votes for research (1 match)" in client.get(f"/console/{event.code}/edit/").content.decode()


def test_study_excludes_who_saw_no_notice_or_is_no_person_and_anonymized_tallies(
    box: BallotBox, settings: Any
) -> None:
    settings.SECRET_KEY_FALLBACKS = ["earlier key"]
    event = new_event(consent="We take pictures of the hall.")
    played(event, box)
    assert not studied_matches(event).exists()
    Event.objects.filter(pk=event.pk).update(consent=CONSENT, in_study=True)
    event.refresh_from_db()
    assert rows_of(event) == []
    match = played(event, box)
    turn = only_turn(played(event, box, ended=False))
    assert {row["match"] for row in rows_of(event)} == {"2"}
    bot, chatter = derive_seat(event.pk, "bot:3", ACCOUNT), derive_chat_seat(event.pk, "ann")
    blinds = {"hand:y": "", bot: derive_blind(turn.pk, bot), chatter: derive_blind(turn.pk, chatter)}
    blinds["old"] = derive_blind(turn.pk, "old", secret_key="earlier key")
    store(turn, [Ballot(voter, "yellow", 5, 1, blind=blind) for voter, blind in blinds.items()])
    play_turn(turn, box, [3])
    end_match(turn.match, "draw", "board", box.now())
    third = [row for row in rows_of(event) if (row["match"], row["turn"]) == ("3", "3")]
    assert [(row["side"], row["choice"]) for row in third] == [("red", "3")]
    record = TallyRecord.objects.filter(turn__match=match).first()
    assert record
    TallyRecord.objects.filter(pk=record.pk).update(sealed=anonymize_ballots(bytes(record.sealed)))
    assert {row["match"] for row in rows_of(event)} == {"3"}
    event.matches.update(rehearsed=True)
    assert rows_of(event) == []
