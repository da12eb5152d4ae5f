import gzip
import json
import re
from collections.abc import Callable
from contextlib import suppress
from html import unescape
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.test import Client

from crowdgame.results.reports import chat_receipt
from crowdgame.results.reports import views as report_pages
from tests.crowdgame.server.web.test_public_pages import assert_is_harmless
from tests.voting.content_policy import hashes_of, sources
from tests.voting.match_helpers import new_event, only_turn, open_now, play, play_out, start_secret, vote
from tests.voting.merkle_path import root_of_path
from tests.voting.sources.test_sources import begin
from tests.voting.verifiers import ours, theirs
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import ballot_leaf
from voting.counting.methods.voting_method import find_method
from voting.models import Event, LogWitness, Match, TallyRecord, Team
from voting.records.exports import record_version
from voting.records.log_proof import PROOF_OPENS
from voting.sources.chat_casting import cast_votes, chat_turns
from voting.sources.chat_lines import ChatVote
from voting.transparency.accepted_witnesses import store_cosignatures
from voting.transparency.cosignatures import Cosigner
from voting.transparency.log import load_log
from voting.transparency.notes import COSIGNATURE_V1, SignedNote
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
FORBIDDEN = {"script", "link", "iframe", "object", "embed", "base", "form", "audio", "video"}
LOADED = {"src", "srcset", "poster", "data", "background", "action", "formaction", "ping", "xlink:href"}


def address(match: Match, kind: str = "") -> str:
    return f"/report/{match.event.code}/{match.number}{kind}"


def page_of(client: Client, match: Match) -> str:
    return client.get(address(match)).content.decode()


def test_report_page_shows_result_turns_and_seals(client: Client, match: Match) -> None:
    page = page_of(client, match)
    assert "<bdi>Rooks won</bdi>" in page
    assert "Turning point: turn 3" in page
    assert page.count('<li class="turn"') == 4
    assert page.count('<svg class="cabinet') == 5
    code = match.event.code
    for path in (f"/record/{code}/1.json", f"/verify?match={code}/1", "/verify.py"):
        assert f'href="{path}"' in page
    root = TallyRecord.objects.filter(turn__match=match).values_list("root", flat=True)[0]
    groups = re.findall("....", root)  # as phones do, which show the first half
    assert len(groups) == 16
    assert f"<code>{' '.join(groups)}</code>" in page
    assert client.get(address(match).lower()).status_code == 200


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["late.example"], []),
        (["a", "<b>", "\u202ec", "d"], ["<bdi>a</bdi>, ", "<bdi>&lt;b&gt;</bdi>, ", "<bdi>c</bdi></p>"]),
        (["w" * 300, "\u202e"], [f"<bdi>{'w' * 24}</bdi></p>"]),
    ],
)
def test_report_names_witnesses(names: list[str], shown: list[str], client: Client, match: Match) -> None:
    assert "witnesses" not in page_of(client, match)
    size = load_log().checkpoint.size - (names == ["late.example"])
    for name in names:
        LogWitness.objects.create(key=f"{name}+0+0", size=size)
    page = page_of(client, match)
    assert page.count("These witnesses confirmed") == bool(shown)
    assert all(text in page for text in shown)
    assert "<bdi>d</bdi>" not in page
    assert page_of(client, start_match(match.event_id, BallotBox())).count("These witnesses") == 0


def test_report_shows_nothing_of_open_turn(client: Client, box: BallotBox) -> None:
    running = start_match(new_event().pk, box)
    assert "Turn by turn" not in page_of(client, running)
    play(running, box, [(1, 2)])
    before = page_of(client, running), file_of(client, running)
    turn = only_turn(running)
    open_now(turn, box)
    vote(turn, box, [5, 5, 5], [6])
    assert (page_of(client, running), file_of(client, running)) == before
    assert turn.seed not in before[0]
    assert 'id="log"' not in before[1]
    assert "Match in progress" in before[0]
    assert client.get(address(running)).headers["Cache-Control"] == "no-cache"
    assert record_version(running) not in {kept[:-2] for kept in report_pages._cache}


def test_report_is_in_the_language_of_the_event_and_escapes_names(client: Client, match: Match) -> None:
    name = "第三中学</title><script>alert(1)</script>"
    Event.objects.filter(pk=match.event_id).update(language="ar", name=name)
    response = client.get(address(match), headers={"Accept-Language": "de"})
    assert response.headers["Content-Language"] == "ar"
    assert "\u2068Rooks\u2069" in response.content.decode()
    for report in (response.content.decode(), file_of(client, match)):
        assert '<html lang="ar" dir="rtl">' in report
        assert "第三中学" in report
    Team.objects.filter(event=match.event, number=1).update(name="<b>&\"'")
    german = client.get(address(match), {"locale": "de"}).content.decode()
    for report in (german, file_of(client, match, locale="de")):
        assert '<html lang="de">' in report
        assert "&lt;b&gt;&amp;&quot;&#x27; wählte Spalte 1" in report
        assert "<b>" not in report
        assert "<script>" not in report
    assert ".html?locale=de" in german


def test_finished_report_is_gzipped_if_accepted_and_cached(client: Client, match: Match) -> None:
    packed = client.get(address(match), headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == client.get(address(match)).content
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert len(report_pages._cache) <= report_pages.CACHE_SIZE
    cached = dict(report_pages._cache)
    page_of(client, match)
    assert report_pages._cache == cached
    Team.objects.filter(event=match.event, number=1).update(name="Ravens")
    assert "Ravens won" in page_of(client, match)
    table = client.get(address(match, ".csv"))
    assert table.headers["Content-Disposition"] == f'attachment; filename="{match.event.code}-1.csv"'


class Elements(HTMLParser):
    """All elements of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def file_of(client: Client, match: Match, **query: str) -> str:
    answer = client.get(address(match, ".html"), query)
    name = f"{match.event.code}-{match.number}.html"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    return answer.content.decode()


def test_file_loads_nothing_and_runs_nothing(client: Client, match: Match) -> None:
    page = file_of(client, match)
    elements = Elements(page).found
    assert {tag for tag, _ in elements} & FORBIDDEN <= {"script"}
    data = [{"id": name, "type": "application/json"} for name in ("record", "log")]
    for tag, attributes in elements:
        assert tag != "script" or attributes in data
        assert not LOADED & attributes.keys(), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on") or name == "style"], tag
        link = attributes.get("href") or ""
        if tag == "a":
            assert urlsplit(link)[:2] == ("http", "testserver"), link
        else:
            assert link[:1] in ("", "#"), (tag, link)
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', page)
    allowed = sources(unescape(policy))
    assert allowed.pop("style-src") == hashes_of(page.encode())["style"]
    assert allowed == {name: {"'none'"} for name in ("default-src", "base-uri", "form-action")}
    (style,) = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    assert not re.search(r"url\(|@import", style)


def test_file_shows_what_the_page_shows_and_omits_a_large_record(
    client: Client, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = address(match)
    page, file = page_of(client, match), file_of(client, match)
    turns = ('<li class="turn"', '<svg class="cabinet', "<tr>")
    for shown in (*turns, "<figcaption", "<bdi>Rooks won</bdi>", "<code>"):
        assert file.count(shown) == page.count(shown) > 0, shown
    for link in (path, f"/verify?match={match.event.code}/1", f"/record/{match.event.code}/1.json"):
        assert f'href="http://testserver{link}"' in file
    assert f'href="{path}.html?locale=en"' in page
    assert ".html?locale" not in file
    assert 'id="record"' in file
    monkeypatch.setattr(report_pages, "MAX_FILE_RECORD_BYTES", 100)
    report_pages._cache.clear()
    assert 'id="record"' not in file_of(client, match)


def test_file_shows_nothing_of_secret_sides(client: Client, box: BallotBox) -> None:
    secret = start_secret(box)
    play(secret, box, [(1, 2)])
    assert 'id="record"' not in file_of(client, secret)
    seed = secret.turns.values_list("seed", flat=True)[0]
    assert seed not in page_of(client, secret) + file_of(client, secret)
    root = TallyRecord.objects.filter(turn__match=secret).values_list("root", flat=True)[0]
    assert root[:4] not in re.findall(r"<code>(\w{4}) ", file_of(client, secret))
    assert client.get("/report/BCDF/7.html").status_code == 404


@pytest.mark.parametrize("verify", [ours, theirs])
def test_verifiers_read_the_record_in_a_report_file(
    client: Client, match: Match, tmp_path: Path, verify: Callable[[bytes, Path], tuple[int, str]]
) -> None:
    Event.objects.update(name="</script><script id=record>")
    file = file_of(client, match).encode()
    code, output = verify(file, tmp_path / "report.html")
    assert code == 0
    assert "VALID: red won, Rooks" in output.splitlines()
    assert output.startswith("</script><script id=record>, match 1")
    other_pick = file.replace(b'"pick":1', b'"pick":2', 1)
    assert verify(other_pick, tmp_path / "report.html")[0] == 1
    assert verify(file.replace(b'id="record"', b""), tmp_path / "report.html")[0] == 1


def cosign(cosigner: Cosigner) -> None:
    """Accept the witness, and let it cosign the latest checkpoint."""
    LogWitness.objects.create(key=str(cosigner.verifier_key))
    log = load_log()
    note = log.sign(log.checkpoint)
    cosigned = SignedNote(note.text, (*note.signatures, cosigner.cosign(note.text, 1)))
    store_cosignatures(str(cosigned).encode())


def test_report_file_proves_what_the_log_has(client: Client, match: Match, tmp_path: Path) -> None:
    witness, other = (Cosigner(name, COSIGNATURE_V1, name.encode() * 8) for name in ("east", "west"))
    cosign(witness)
    file, path = file_of(client, match).encode(), tmp_path / "report.html"

    def verify(content: bytes, **options: object) -> str:
        path.write_bytes(content)
        out = StringIO()
        with suppress(SystemExit):
            call_command("verify", str(path), stdout=out, **options)
        return out.getvalue().splitlines()[-1]

    assert verify(file) == "not checked: whether the log has others. --log checks that"
    assert verify(file, witness=[str(witness.verifier_key)]).startswith("not checked")
    assert verify(file, witness=[str(other.verifier_key)]) == "INVALID: 1 fault"
    assert verify(file, log_key=str(other.verifier_key)) == "INVALID: 1 fault"
    head, opens, proof = file.partition(PROOF_OPENS)
    assert b"lot 1" in proof
    assert verify(head + opens + proof.replace(b'"index":2,', b'"index":3,')) == "INVALID: 1 fault"
    rewritten = head.replace(b'"ended_by":"board"', b'"ended_by":"forfeit"')
    assert verify(rewritten + opens + proof).startswith("INVALID")
    assert verify(head) == "VALID: red won, Rooks"


@pytest.mark.parametrize("method", ["plurality", "score"])
def test_chatter_finds_the_vote_and_its_proof_after_the_reveal(
    method: str, client: Client, box: BallotBox
) -> None:
    chat_receipt._load_opened.cache_clear()
    turn = begin(box, ("phones", "twitch:rooks"), tally_method=method)
    chatting = chat_turns().get(pk=turn.pk)
    vote(turn, box, red=[4])
    cast_votes(chatting, [ChatVote("rooks", name, 5, chatting.opens_at + 1) for name in ("ann", "bob")], box)
    path = f"/chat/{turn.match.event.code}"

    def receipt(login: str) -> str:
        return client.get(path, {"login": login}).content.decode()

    assert "No turn has been revealed yet." in receipt("ann")
    assert "Column" not in receipt("ann")
    assert_is_harmless(client, path)
    play_out(turn, box)
    for login in ("ann", " @Ann "):
        shown = receipt(login)
        assert "Turn 1: your vote was counted" in shown
        assert "Column 5, for <bdi>Doves</bdi>." in shown
    (found,) = re.findall("<pre[^>]*>(.*?)</pre>", shown, re.DOTALL)
    proof = json.loads(unescape(found))
    assert (proof["ballots"], proof["choice"]) == (2, find_method(method).encode_single(5))
    leaf = ballot_leaf(turn.pk, "yellow", proof["choice"], proof["blind"])
    beside = [bytes.fromhex(one) for one in proof["path"]]
    root = root_of_path(leaf, proof["index"], proof["ballots"], beside)
    assert root == bytes.fromhex(TallyRecord.objects.get(turn=turn, side="yellow").root)
    for login in ("carl", "red1", "<b>", "x" * 500):
        assert "Turn 1: no vote was counted" in receipt(login)
        assert "<b>" not in receipt(login)
    other = begin(box, ("phones", "twitch:rooks")).match.event
    assert b"No turn has been revealed yet." in client.get(f"/chat/{other.code}", {"login": "ann"}).content
    turn.match.event.teams.update(source="phones")
    assert client.get(path).status_code == 404, "without a chat"
