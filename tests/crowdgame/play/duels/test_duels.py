from typing import Any

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.duels import duels
from crowdgame.play.duels.duels import DuelSettings, PlayError, join_duel, seat_number, start_for_one
from crowdgame.play.duels.lists import MAX_QUERY_LENGTH, DuelListKind, clean_query, load_page, load_play_lists
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.rematch import request_rematch
from crowdgame.play.duels.seat_keys import load_seat_key
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from crowdgame.play.ratings.models import Rating
from tests.crowdgame.play.duels.test_play_pages import new_game, page
from tests.crowdgame.play.duels.test_player_actions import begin
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import RED_WINS, kinds, new_event, play
from voting.admission.tickets import ClaimedTicket, PresentedKey, claim_tickets
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.window import START_LEAD_MS
from voting.events import CODE_LETTERS
from voting.matches import event_lock
from voting.models import Event, Match, Team, Ticket
from voting.terms import MatchState
from voting.turns.turns import start_due_match

pytestmark = pytest.mark.django_db


def waiting_duel(**duel_settings: Any) -> tuple[Duel, Guest]:
    guest = new_guest()
    return duels.new_duel(guest, DuelSettings(**duel_settings)), guest


def test_match_starts_when_second_seat_is_taken(box: BallotBox) -> None:
    duel, _, first, second = begin(box)
    match = Match.objects.get(event=duel.event)
    names = {team.number: team.name for team in duel.event.teams.all()}
    assert names == {seat_number(duel, guest): str(guest) for guest in (first, second)}
    assert {ticket.team: ticket.label for ticket in duel.event.tickets.all()} == names
    assert (match.state, match.bank_s, match.increment_s) == (MatchState.PLAYING, 300, 5)
    assert Event.objects.get(pk=duel.event_id).next_match_at is None
    assert match.special_rules, "the players chose them, so the first turn doesn't wait until they are read"
    assert match.turns.get().opens_at <= box.now() + START_LEAD_MS
    voters = []  # a guest has one on every device
    for guest in (first, second):
        shown = PresentedKey(load_seat_key(duel, guest), 0, box.now(), again=True, balance_teams=True)
        for (claim,) in (claim_tickets(duel.event_id, [shown]) for _ in range(2)):
            assert isinstance(claim, ClaimedTicket)
            assert claim.team == seat_number(duel, guest)
            voters.append(claim.voter)
    assert voters[0] == voters[1] != voters[2] == voters[3]
    assert load_seat_key(duel, new_guest()) == ""


def test_only_two_guests_play_and_may_rejoin(box: BallotBox) -> None:
    duel, first = waiting_duel()
    join_duel(duel.event.code, first, box)
    with pytest.raises(PlayError, match="created this game"):
        start_for_one(duel.event.code, first, box)
    assert not Match.objects.exists()
    assert seat_number(duels.find_duel(duel.event.code), None), "the empty seat"
    second = new_guest()
    for guest in (second, first, second):
        join_duel(duel.event.code, guest, box)
    with pytest.raises(PlayError, match="Both seats are taken"):
        join_duel(duel.event.code, new_guest(), box)
    assert Match.objects.filter(event=duel.event).count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("guests", [1, 2])
def test_concurrent_joins_give_seat_to_one_guest(box: BallotBox, guests: int) -> None:
    duel, _ = waiting_duel()
    joiners = [new_guest() for _ in range(guests)] * (3 - guests)
    refused = at_once(2, lambda own: join_duel(duel.event.code, joiners.pop(), own))
    assert [type(refusal) for refusal in refused] == [PlayError] * (guests - 1)
    assert Match.objects.filter(event=duel.event).count() == 1


def test_due_match_starts_after_crash_as_scheduled(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    joined_duel, _ = waiting_duel()
    crowd_duel, guest = waiting_duel(crowd=True)
    Event.objects.filter(pk=crowd_duel.event_id).update(next_match_at=1)
    monkeypatch.setattr(duels, "start_due_match", lambda *_: None)
    join_duel(joined_duel.event.code, new_guest(), box)
    start_for_one(crowd_duel.event.code, guest, box)
    assert not Match.objects.exists()
    assert Event.objects.get(pk=crowd_duel.event_id).next_match_at == 1
    start_due_match(joined_duel.event_id, box)
    assert Match.objects.get().state == MatchState.PLAYING


def test_guest_game_limit_is_enforced(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duels, "MAX_ACTIVE_GAMES", 1)
    duel, guest = waiting_duel()
    other, _ = waiting_duel()
    for settings in (DuelSettings(), DuelSettings(bot=2, casual=True)):
        with pytest.raises(PlayError, match="1 unfinished game"):
            duels.new_duel(guest, settings)
    with pytest.raises(PlayError, match="1 unfinished game"):
        join_duel(other.event.code, guest, box)
    assert join_duel(duel.event.code, guest, box) == duel


def test_lists_show_open_running_and_finished_games(box: BallotBox) -> None:
    waiting, _ = waiting_duel()
    waiting_duel(listed=False)
    playing, _, first, _ = begin(box, time_control=TIME_CONTROLS_BY_SLUG["3-days"])
    begin(box, listed=False)
    ended, hidden, aborted = (begin(box, listed=listed).duel for listed in (True, False, True))
    over = {"state": MatchState.ENDED, "result": "red", "ended_by": "resign", "ended_at": 1}
    for duel, changes in ((ended, over), (hidden, over), (aborted, {"state": "aborted", "ended_at": 1})):
        with event_lock(duel.event_id):
            Match.objects.filter(event=duel.event).update(**changes)
    expected: dict[DuelListKind, Duel] = {"open": waiting, "running": playing, "finished": ended}
    for kind, duel in expected.items():
        assert [line.code for line in load_page(kind, 1)] == [duel.event.code]
    assert load_page("running", 1)[0].clock == "3 days"
    assert [(line.won, line.reason) for line in load_page("finished", 1)] == [(1, "Resigned")]
    duels.new_duel(first, DuelSettings())
    lines = load_play_lists(first, box, 6).mine
    assert [(line.state, line.your_turn) for line in lines] == [("playing", True), ("open", False)]


def test_games_are_found_by_name_or_whole_code(box: BallotBox) -> None:
    duel, _, first, second = begin(box)
    other = begin(box).duel
    (hidden, alone), (hidden_crowd, _) = (waiting_duel(listed=False, crowd=crowd) for crowd in (False, True))

    def found(query: str, kind: DuelListKind = "running") -> list[str]:
        return [line.code for line in load_page(kind, 1, query=query)]

    for query in (str(first), str(second).upper(), str(first.number), f"/{duel.event.code.lower()}"):
        assert found(query) == [duel.event.code]
    assert found("guest") == [other.event.code, duel.event.code]
    assert found(duel.event.code[:3]) == found("nobody") == found("%") == []
    assert found(str(alone), "open") == found(hidden.event.code, "open") == []
    for unlisted in (hidden, hidden_crowd):
        assert len(CODE_LETTERS) ** len(unlisted.event.code) > 2**64, "nobody guesses its code"
    assert clean_query("  Gu\0est\n 7 ") == "Guest 7"
    assert len(clean_query("x" * 99)) == MAX_QUERY_LENGTH
    short, long = (waiting_duel(time_control=TIME_CONTROLS_BY_SLUG[days])[0] for days in ("1-min", "30-days"))
    assert len(load_page("open", 1)) == 2
    Event.objects.filter(pk=short.event_id).update(created_at="2026-01-01T00:00Z")
    assert found("", "open") == [long.event.code], "the creator may still wait"
    Event.objects.update(created_at="2026-01-01T00:00Z")
    assert found("", "open") == []


def test_crowd_game_is_listed_as_open_then_running(box: BallotBox) -> None:
    duel, guest = waiting_duel(crowd=True, time_control=TIME_CONTROLS_BY_SLUG["1-min"])
    waiting_duel(crowd=True, listed=False)
    event, place = duel.event, seat_number(duel, guest)
    teams = {team.number: (team.name, team.solo) for team in Team.objects.filter(event=event)}
    assert teams == {place: (str(guest), True), 3 - place: ("The crowd", False)}
    assert (event.admission, event.window_s, event.bank_s) == ("open", 15, None)
    assert Ticket.objects.get(event=event).code == load_seat_key(duel, guest)
    assert seat_number(duel, None) == 0
    listed = [(line.code, line.crowd, line.clock) for line in load_page("open", 1)]
    assert listed == [(event.code, True, "15 seconds per turn")]
    for action in (join_duel, start_for_one):
        with pytest.raises(PlayError):
            action(event.code, new_guest(), box)
    assert not Match.objects.exists()
    for _ in range(2):
        start_for_one(event.code, guest, box)
    with pytest.raises(PlayError, match="before it starts"):
        duels.withdraw_duel(event.code, guest)
    match = Match.objects.get()
    assert (match.state, match.bank_s, match.window_s) == (MatchState.PLAYING, None, 15)
    assert Event.objects.get(pk=event.pk).next_match_at is None
    assert not load_page("open", 1).object_list
    assert set(load_page("running", 1)[0].names) == {str(guest), "The crowd"}
    assert [line.your_turn for line in load_play_lists(guest, box, 6).mine] == [True]
    assert duels.active_games(guest).count() == 1
    play(match, box, RED_WINS)
    for other in (event, new_event()):
        assert load_snapshot(Event.objects.get(pk=other.pk)).rematch_wanted_by is None
        with pytest.raises(PlayError, match="This game has no rematch"):
            request_rematch(other.pk, 1, box)
    start_for_one(event.code, guest, box)
    assert [match.state for match in Match.objects.order_by("number")] == ["ended", "playing"]


@pytest.fixture
def ended(box: BallotBox) -> Event:
    duel = begin(box).duel
    play(Match.objects.get(event=duel.event), box, RED_WINS)
    return duel.event


def test_rematch_starts_with_swapped_sides_when_both_ask(ended: Event, box: BallotBox) -> None:
    def state() -> Any:
        return load_snapshot(Event.objects.get(pk=ended.pk))

    rated = state().match.rated
    assert (rated.red_before, rated.yellow_before) == (1200, 1200)
    assert rated.red_after - 1200 == 1200 - rated.yellow_after > 50
    assert (state().is_duel, state().is_casual, state().rematch_wanted_by) == (True, False, 0)
    request_rematch(ended.pk, 2, box)
    assert state().rematch_wanted_by == 2
    seq = Event.objects.get(pk=ended.pk).seq
    request_rematch(ended.pk, 2, box)
    assert (Match.objects.count(), Event.objects.get(pk=ended.pk).seq) == (1, seq)
    request_rematch(ended.pk, 1, box)
    match = Match.objects.get(number=2)
    assert (match.red.number, match.yellow.number, match.state) == (2, 1, MatchState.PLAYING)
    assert state().rematch_wanted_by is None
    assert kinds(ended.pk)[-1] == "match.started"
    with pytest.raises(PlayError, match="already started"):
        request_rematch(ended.pk, 1, box)
    play(match, box, RED_WINS)
    assert set(Rating.objects.values_list("games", flat=True)) == {2}
    for team in (1, 2):
        request_rematch(ended.pk, team, box)
    assert Match.objects.get(number=3).red.number == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("crashes", [False, True])
def test_concurrent_rematch_requests_start_one_match(
    crashes: bool, ended: Event, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    teams = [1, 2]
    if crashes:
        monkeypatch.setattr("crowdgame.play.duels.rematch.start_due_match", lambda *_: None)
    assert at_once(2, lambda own: request_rematch(ended.pk, teams.pop(), own)) == []
    with pytest.raises(PlayError, match="already started"):
        request_rematch(ended.pk, 1, box)
    assert load_snapshot(Event.objects.get(pk=ended.pk)).rematch_wanted_by is None
    assert Match.objects.count() == 2 - crashes
    start_due_match(ended.pk, box)
    assert Match.objects.filter(state=MatchState.PLAYING).count() == 1


def test_game_page_shows_rating_change_and_rematch(box: BallotBox) -> None:
    one, two = Client(), Client()
    path = f"/play/{new_game(one)}"
    two.post(f"{path}/join")
    assert one.post(f"{path}/rematch").status_code == 409
    play(Match.objects.get(), box, RED_WINS)
    for text in ("\u20661282 (+82)\u2069", "\u20661118 (\N{MINUS SIGN}82)\u2069", "Rematch"):
        assert text in page(one, path)
    assert "Rematch" not in page(Client(), path)
    assert Client().post(f"{path}/rematch").status_code == 403
    assert one.post(f"{path}/rematch")["Location"] == path
    assert "You asked for a rematch" in page(one, path)
    assert "Your opponent wants a rematch" in page(two, path)
