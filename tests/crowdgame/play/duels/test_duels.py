"""A duel is an event for two guests, or for one against a crowd, and is found in lists."""

from typing import Any

import pytest

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.duels import duels
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
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import RED_WINS, play
from voting.admission.tickets import ClaimedTicket, PresentedKey, claim_tickets
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.window import START_LEAD_MS
from voting.events import CODE_LETTERS
from voting.matches import event_lock
from voting.models import Event, Match, Team, Ticket
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
    assert names[seat_number(duel, first)] == str(first)
    assert names[seat_number(duel, second)] == str(second)
    assert {ticket.team: ticket.label for ticket in duel.event.tickets.all()} == names
    assert (match.state, match.bank_s, match.increment_s) == (MatchState.PLAYING, 300, 5)
    assert Event.objects.get(pk=duel.event_id).next_match_at is None


def test_first_turn_does_not_wait_until_special_rules_are_read(box: BallotBox) -> None:
    duel, *_ = joined(box)
    match = Match.objects.get(event=duel.event)
    assert match.special_rules, "the players chose them"
    assert match.turns.get().opens_at <= box.now() + START_LEAD_MS


def test_guest_has_one_voter_on_every_device(box: BallotBox) -> None:
    duel, first, second = joined(box)
    claims = []
    for guest in (first, second):
        shown = PresentedKey(load_seat_key(duel, guest), 0, box.now(), again=True, balance_teams=True)
        both = [claim_tickets(duel.event_id, [shown])[0] for _ in range(2)]
        assert all(isinstance(one, ClaimedTicket) and one.team == seat_number(duel, guest) for one in both)
        claims.append({one.voter for one in both if isinstance(one, ClaimedTicket)})
    assert [len(voters) for voters in claims] == [1, 1]
    assert claims[0] != claims[1]
    assert load_seat_key(duel, new_guest()) == ""


def test_third_guest_is_refused_and_players_may_rejoin(box: BallotBox) -> None:
    duel, first, second = joined(box)
    with pytest.raises(PlayError, match="Both seats are taken"):
        join_duel(duel.event.code, new_guest(), box)
    for guest in (first, second):
        join_duel(duel.event.code, guest, box)
    assert Match.objects.filter(event=duel.event).count() == 1


def test_guest_cannot_play_alone(box: BallotBox) -> None:
    duel, guest = waiting_duel()
    join_duel(duel.event.code, guest, box)
    with pytest.raises(PlayError, match="created this game"):
        start_for_one(duel.event.code, guest, box)
    assert seat_number(find_duel(duel.event.code), None)
    assert not Match.objects.exists()


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


def test_scheduled_match_against_crowd_is_not_scheduled_again(
    box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    duel, guest = waiting_duel(crowd=True)
    Event.objects.update(next_match_at=1)
    monkeypatch.setattr(duels, "start_due_match", lambda *_: None)
    start_for_one(duel.event.code, guest, box)
    assert Event.objects.get().next_match_at == 1


def test_guest_game_limit_is_enforced(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duels, "MAX_ACTIVE_GAMES", 1)
    duel, guest = waiting_duel()
    other, _ = waiting_duel()
    with pytest.raises(PlayError, match="1 unfinished game"):
        new_duel(guest, DuelSettings())
    with pytest.raises(PlayError, match="1 unfinished game"):
        join_duel(other.event.code, guest, box)
    assert join_duel(duel.event.code, guest, box) == duel


def test_lists_show_open_running_and_finished_games(box: BallotBox) -> None:
    waiting, _ = waiting_duel()
    waiting_duel(listed=False)
    playing, _, _ = joined(box, time_control=TIME_CONTROLS_BY_SLUG["3-days"])
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
    assert load_page("finished", 1)[0].won == 1
    Match.objects.filter(event=ended.event).update(ended_by="resign")
    assert load_page("finished", 1)[0].reason == "Resigned"


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


def test_clean_query_truncates_and_removes_null_characters() -> None:
    assert clean_query("  Gu\0est\n 7 ") == "Guest 7"
    assert len(clean_query("x" * 99)) == MAX_QUERY_LENGTH


@pytest.mark.parametrize("crowd", [False, True])
def test_link_only_game_has_code_of_64_random_bits(crowd: bool) -> None:
    codes = {waiting_duel(listed=False, crowd=crowd)[0].event.code for _ in range(3)}
    assert len(codes) == 3
    assert all(len(CODE_LETTERS) ** len(code) > 2**64 for code in codes)


# ------------------------------------------------------------------ one against a crowd
def test_crowd_game_has_solo_team_and_open_team() -> None:
    duel, guest = waiting_duel(crowd=True, time_control=TIME_CONTROLS_BY_SLUG["1-min"])
    event, place = duel.event, seat_number(duel, guest)
    teams = {team.number: (team.name, team.solo) for team in Team.objects.filter(event=event)}
    assert teams == {place: (str(guest), True), 3 - place: ("The crowd", False)}
    assert (event.admission, event.window_s, event.bank_s) == ("open", 15, None)
    assert Ticket.objects.get(event=event).code == load_seat_key(duel, guest)
    assert seat_number(duel, None) == 0


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


def test_crowd_game_is_listed_as_open_then_running(box: BallotBox) -> None:
    duel, guest = waiting_duel(crowd=True)
    waiting_duel(crowd=True, listed=False)
    assert [(line.code, line.crowd, line.clock) for line in load_page("open", 1)] == [
        (duel.event.code, True, "30 seconds per turn")
    ]
    start_for_one(duel.event.code, guest, box)
    assert not load_page("open", 1).object_list
    assert set(load_page("running", 1)[0].names) == {str(guest), "The crowd"}
    assert [line.your_turn for line in load_play_lists(guest, box, 6).mine] == [True]
    assert active_games(guest).count() == 1


def test_creator_begins_next_crowd_game_without_rematch(box: BallotBox) -> None:
    duel, guest = waiting_duel(crowd=True)
    start_for_one(duel.event.code, guest, box)
    play(Match.objects.get(), box, RED_WINS)
    with pytest.raises(PlayError, match="This game has no rematch"):
        request_rematch(duel.event_id, seat_number(duel, guest), box)
    assert load_snapshot(Event.objects.get()).rematch_wanted_by is None
    start_for_one(duel.event.code, guest, box)
    assert [match.state for match in Match.objects.order_by("number")] == ["ended", "playing"]
