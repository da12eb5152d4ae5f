"""A duel is an event for two guests, or for one against a crowd, with rematches, and is found in lists."""

from typing import Any

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.duels import duels
from crowdgame.play.duels import rematch as rematch_module
from crowdgame.play.duels.duels import (
    DuelSettings,
    PlayError,
    active_games,
    find_duel,
    join_duel,
    load_seat_key,
    new_duel,
    seat_number,
    start_for_one,
    withdraw_duel,
)
from crowdgame.play.duels.lists import MAX_QUERY_LENGTH, DuelListKind, clean_query, load_page, load_play_lists
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.rematch import request_rematch
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from crowdgame.play.ratings.models import Rating
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import RED_WINS, kinds, new_event, play
from voting.admission.tickets import ClaimedTicket, PresentedKey, claim_tickets
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.window import START_LEAD_MS
from voting.events import CODE_LETTERS
from voting.matches import event_lock
from voting.models import Event, Match, Team, Ticket
from voting.protocol import EventState
from voting.terms import Lobby, MatchState
from voting.turns.turns import start_due_match

pytestmark = pytest.mark.django_db


def waiting_duel(**duel_settings: Any) -> tuple[Duel, Guest]:
    """A new duel and its creator."""
    guest = new_guest()
    return new_duel(guest, DuelSettings(**duel_settings)), guest


def joined(box: BallotBox, **duel_settings: Any) -> tuple[Duel, Guest, Guest]:
    duel, first = waiting_duel(**duel_settings)
    second = new_guest()
    return join_duel(duel.event.code, second, box), first, second


def test_match_starts_when_second_seat_is_taken(box: BallotBox) -> None:
    duel, first, second = joined(box)
    match = Match.objects.get(event=duel.event)
    names = {team.number: team.name for team in duel.event.teams.all()}
    assert names == {seat_number(duel, guest): str(guest) for guest in (first, second)}
    assert {ticket.team: ticket.label for ticket in duel.event.tickets.all()} == names
    assert (match.state, match.bank_s, match.increment_s) == (MatchState.PLAYING, 300, 5)
    assert Event.objects.get(pk=duel.event_id).next_match_at is None
    assert match.special_rules, "the players chose them, so the first turn doesn't wait until they are read"
    assert match.turns.get().opens_at <= box.now() + START_LEAD_MS


def test_guest_has_one_voter_on_every_device(box: BallotBox) -> None:
    duel, *players = joined(box)
    voters = []
    for guest in players:
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
    assert seat_number(find_duel(duel.event.code), None), "the empty seat"
    second = new_guest()
    for guest in (second, first, second):
        join_duel(duel.event.code, guest, box)
    with pytest.raises(PlayError, match="Both seats are taken"):
        join_duel(duel.event.code, new_guest(), box)
    assert Match.objects.filter(event=duel.event).count() == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_joins_give_seat_to_one_guest(box: BallotBox) -> None:
    duel, _ = waiting_duel()
    joiners = [new_guest(), new_guest()]
    refused = at_once(2, lambda own: join_duel(duel.event.code, joiners.pop(), own))
    assert [type(refusal) for refusal in refused] == [PlayError]
    assert Match.objects.filter(event=duel.event).count() == 1


def test_due_match_starts_after_joiner_crashed(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    duel, _ = waiting_duel()
    monkeypatch.setattr(duels, "start_due_match", lambda *_: None)
    join_duel(duel.event.code, new_guest(), box)
    assert not Match.objects.exists()
    start_due_match(duel.event_id, box)
    assert Match.objects.get().state == MatchState.PLAYING


def test_scheduled_crowd_match_is_not_rescheduled(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    duel, guest = waiting_duel(crowd=True)
    Event.objects.update(next_match_at=1)
    monkeypatch.setattr(duels, "start_due_match", lambda *_: None)
    start_for_one(duel.event.code, guest, box)
    assert Event.objects.get().next_match_at == 1


def test_guest_game_limit_is_enforced(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duels, "MAX_ACTIVE_GAMES", 1)
    duel, guest = waiting_duel()
    other, _ = waiting_duel()
    for settings in (DuelSettings(), DuelSettings(bot=2, casual=True)):
        with pytest.raises(PlayError, match="1 unfinished game"):
            new_duel(guest, settings)
    with pytest.raises(PlayError, match="1 unfinished game"):
        join_duel(other.event.code, guest, box)
    assert join_duel(duel.event.code, guest, box) == duel


def test_lists_show_open_running_and_finished_games(box: BallotBox) -> None:
    waiting, _ = waiting_duel()
    waiting_duel(listed=False)
    playing, *_ = joined(box, time_control=TIME_CONTROLS_BY_SLUG["3-days"])
    joined(box, listed=False)
    ended, hidden, aborted = (joined(box, listed=listed)[0] for listed in (True, False, True))
    over = {"state": MatchState.ENDED, "result": "red", "ended_by": "board", "ended_at": 1}
    for duel, changes in ((ended, over), (hidden, over), (aborted, {"state": "aborted", "ended_at": 1})):
        with event_lock(duel.event_id):
            Match.objects.filter(event=duel.event).update(**changes)
    expected: dict[DuelListKind, Duel] = {"open": waiting, "running": playing, "finished": ended}
    for kind, duel in expected.items():
        assert [line.code for line in load_page(kind, 1)] == [duel.event.code]
    assert load_page("running", 1)[0].clock == "3 days"
    Match.objects.filter(event=ended.event).update(ended_by="resign")
    assert [(line.won, line.reason) for line in load_page("finished", 1)] == [(1, "Resigned")]


def test_open_game_is_listed_while_creator_may_still_wait() -> None:
    short, _ = waiting_duel(time_control=TIME_CONTROLS_BY_SLUG["1-min"])
    long, _ = waiting_duel(time_control=TIME_CONTROLS_BY_SLUG["30-days"])
    for duel in (short, long):
        Event.objects.filter(pk=duel.event_id).update(created_at="2026-01-01T00:00Z")
        assert duel.event.lobby == Lobby.OPEN
    assert len(load_page("open", 1)) == 0
    Event.objects.update(created_at=long.event.created_at)
    assert len(load_page("open", 1)) == 2


def test_own_games_list_puts_my_turn_first(box: BallotBox) -> None:
    _, first, _ = joined(box)
    new_duel(first, DuelSettings())
    lines = load_play_lists(first, box, 6).mine
    assert [(line.state, line.your_turn) for line in lines] == [("playing", True), ("open", False)]


def test_games_are_found_by_name_or_whole_code(box: BallotBox) -> None:
    duel, first, second = joined(box)
    other, _, _ = joined(box)
    hidden, alone = waiting_duel(listed=False)

    def found(query: str, kind: DuelListKind = "running") -> list[str]:
        return [line.code for line in load_page(kind, 1, query=query)]

    for query in (str(first), str(second).upper(), str(first.number), f"/{duel.event.code.lower()}"):
        assert found(query) == [duel.event.code]
    assert found("guest") == [other.event.code, duel.event.code]
    assert found(duel.event.code[:3]) == found("nobody") == found("%") == []
    assert found(str(alone), "open") == found(hidden.event.code, "open") == []
    assert clean_query("  Gu\0est\n 7 ") == "Guest 7"
    assert len(clean_query("x" * 99)) == MAX_QUERY_LENGTH


@pytest.mark.parametrize("crowd", [False, True])
def test_link_only_game_has_code_of_64_random_bits(crowd: bool) -> None:
    codes = {waiting_duel(listed=False, crowd=crowd)[0].event.code for _ in range(3)}
    assert len(codes) == 3
    assert all(len(CODE_LETTERS) ** len(code) > 2**64 for code in codes)


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
    start_for_one(event.code, guest, box)
    assert not load_page("open", 1).object_list
    assert set(load_page("running", 1)[0].names) == {str(guest), "The crowd"}
    assert [line.your_turn for line in load_play_lists(guest, box, 6).mine] == [True]
    assert active_games(guest).count() == 1


def test_only_creator_begins_crowd_game_and_once(box: BallotBox) -> None:
    duel, guest = waiting_duel(crowd=True)
    for action in (join_duel, start_for_one):
        with pytest.raises(PlayError):
            action(duel.event.code, new_guest(), box)
    assert not Match.objects.exists()
    for _ in range(2):
        start_for_one(duel.event.code, guest, box)
    with pytest.raises(PlayError, match="before it starts"):
        withdraw_duel(duel.event.code, guest)
    match = Match.objects.get()
    assert (match.state, match.bank_s, match.window_s) == (MatchState.PLAYING, None, 30)
    assert Event.objects.get().next_match_at is None


def test_creator_begins_next_crowd_game_without_rematch(box: BallotBox) -> None:
    duel, guest = waiting_duel(crowd=True)
    start_for_one(duel.event.code, guest, box)
    play(Match.objects.get(), box, RED_WINS)
    for event in (duel.event, new_event()):
        assert load_snapshot(Event.objects.get(pk=event.pk)).rematch_wanted_by is None
        with pytest.raises(PlayError, match="This game has no rematch"):
            request_rematch(event.pk, 1, box)
    start_for_one(duel.event.code, guest, box)
    assert [match.state for match in Match.objects.order_by("number")] == ["ended", "playing"]


@pytest.fixture
def ended_duel(box: BallotBox) -> Duel:
    duel = join_duel(new_duel(new_guest(), DuelSettings()).event.code, new_guest(), box)
    play(Match.objects.get(event=duel.event), box, RED_WINS)
    return Duel.objects.select_related("event", "one", "two").get(pk=duel.pk)


def load_state(duel: Duel) -> EventState:
    return load_snapshot(Event.objects.get(pk=duel.event_id))


def test_rematch_starts_with_swapped_sides_when_both_ask(ended_duel: Duel, box: BallotBox) -> None:
    event, ended = ended_duel.event_id, load_state(ended_duel).match
    assert ended
    assert ended.rated
    assert (ended.rated.red_before, ended.rated.yellow_before) == (1200, 1200)
    assert ended.rated.red_after - 1200 == 1200 - ended.rated.yellow_after > 50
    state = load_state(ended_duel)
    assert (state.is_duel, state.is_casual, state.rematch_wanted_by) == (True, False, 0)
    request_rematch(event, 2, box)
    assert load_state(ended_duel).rematch_wanted_by == 2
    seq = Event.objects.get(pk=event).seq
    request_rematch(event, 2, box)
    assert (Match.objects.count(), Event.objects.get(pk=event).seq) == (1, seq)
    request_rematch(event, 1, box)
    match = Match.objects.get(number=2)
    assert (match.red.number, match.yellow.number, match.state) == (2, 1, MatchState.PLAYING)
    assert load_state(ended_duel).rematch_wanted_by is None
    assert kinds(event)[-1] == "match.started"
    with pytest.raises(PlayError, match="already started"):
        request_rematch(event, 1, box)
    play(match, box, RED_WINS)
    assert set(Rating.objects.values_list("games", flat=True)) == {2}
    for team in (1, 2):
        request_rematch(event, team, box)
    assert Match.objects.get(number=3).red.number == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_rematch_requests_start_one_match(ended_duel: Duel, box: BallotBox) -> None:
    teams = [1, 2]
    assert at_once(2, lambda own: request_rematch(ended_duel.event_id, teams.pop(), own)) == []
    assert Match.objects.filter(state=MatchState.PLAYING).count() == 1


def test_rematch_starts_after_crash(
    ended_duel: Duel, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rematch_module, "start_due_match", lambda *_: None)
    for team in (1, 2):
        request_rematch(ended_duel.event_id, team, box)
    with pytest.raises(PlayError, match="already started"):
        request_rematch(ended_duel.event_id, 1, box)
    assert load_state(ended_duel).rematch_wanted_by is None
    assert Match.objects.count() == 1
    start_due_match(ended_duel.event_id, box)
    assert Match.objects.filter(state=MatchState.PLAYING).count() == 1


def test_game_page_shows_rating_change_and_rematch(box: BallotBox) -> None:
    one, two = Client(), Client()
    path = one.post("/play/new")["Location"]

    def shown(client: Client) -> str:
        return client.get(path).content.decode()

    two.post(f"{path}/join")
    assert one.post(f"{path}/rematch").status_code == 409
    play(Match.objects.get(), box, RED_WINS)
    for text in ("1282 (+82)", "1118 (\N{MINUS SIGN}82)", "Rematch"):
        assert text in shown(one)
    assert "Rematch" not in shown(Client())
    assert Client().post(f"{path}/rematch").status_code == 403
    assert one.post(f"{path}/rematch")["Location"] == path
    assert "You asked for a rematch" in shown(one)
    assert "Your opponent wants a rematch" in shown(two)
    two.post(f"{path}/rematch")
    assert Match.objects.filter(state=MatchState.PLAYING).exists()
    assert "Game in progress" in shown(one)
