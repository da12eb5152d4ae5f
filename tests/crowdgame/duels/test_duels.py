"""A duel is an event of two guests: a seat each, a match as soon as both are taken."""

from typing import Any

import pytest

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.duels import duels
from crowdgame.duels.duels import DuelSettings, PlayError, find_duel, join_duel, key_of, new_duel, place_of
from crowdgame.duels.lists import LONGEST_QUERY, Kind, clean_query, games_for, page_of
from crowdgame.duels.models import Duel
from crowdgame.duels.time_controls import BY_SLUG
from games.matches import event_lock
from games.models import Event, Lobby, Match, MatchState
from tests.voting.concurrency_helpers import at_once
from voting.admission.tickets import Claim, Shown, claim_tickets
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import start_due_match

pytestmark = pytest.mark.django_db


def begun(**duel_settings: Any) -> tuple[Duel, Guest]:
    guest = new_guest()
    return new_duel(guest, DuelSettings(**duel_settings)), guest


def joined(box: BallotBox, **duel_settings: Any) -> tuple[Duel, Guest, Guest]:
    duel, first = begun(**duel_settings)
    second = new_guest()
    return join_duel(duel.event.code, second, box), first, second


def test_guests_have_names_of_their_own() -> None:
    assert len({str(new_guest()) for _ in range(20)}) == 20


def test_a_game_begins_when_its_second_seat_is_taken(box: BallotBox) -> None:
    duel, first, second = joined(box)
    match = Match.objects.get(event=duel.event)
    names = {team.number: team.name for team in duel.event.teams.all()}
    assert names[place_of(duel, first)] == str(first)
    assert names[place_of(duel, second)] == str(second)
    assert (match.state, match.bank_s, match.increment_s) == (MatchState.PLAYING, 300, 5)
    assert Event.objects.get(pk=duel.event_id).next_match_at is None


def test_each_guest_has_one_voter_on_every_device_and_nobody_else_has_it(box: BallotBox) -> None:
    duel, first, second = joined(box)
    claims = []
    for guest in (first, second):
        shown = Shown(key_of(duel, guest), 0, box.now(), again=True, even=True)
        both = [claim_tickets(duel.event_id, [shown])[0] for _ in range(2)]
        assert all(isinstance(one, Claim) and one.team == place_of(duel, guest) for one in both)
        claims.append({one.voter for one in both if isinstance(one, Claim)})
    assert [len(voters) for voters in claims] == [1, 1]
    assert claims[0] != claims[1]
    assert key_of(duel, new_guest()) == ""


def test_a_third_one_comes_too_late_and_who_is_in_comes_back(box: BallotBox) -> None:
    duel, first, second = joined(box)
    with pytest.raises(PlayError, match="faster"):
        join_duel(duel.event.code, new_guest(), box)
    for guest in (first, second):
        join_duel(duel.event.code, guest, box)
    assert Match.objects.filter(event=duel.event).count() == 1


def test_nobody_plays_against_themselves(box: BallotBox) -> None:
    duel, guest = begun()
    join_duel(duel.event.code, guest, box)
    assert place_of(find_duel(duel.event.code), None)
    assert not Match.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_who_join_at_once_one_gets_the_seat(box: BallotBox) -> None:
    duel, _ = begun()
    joiners = [new_guest(), new_guest()]
    refused = at_once(2, lambda own: join_duel(duel.event.code, joiners.pop(), own))
    assert [type(refusal) for refusal in refused] == [PlayError]
    assert Match.objects.filter(event=duel.event).count() == 1


def test_the_clock_starts_the_match_of_a_joiner_that_died(
    box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    duel, _ = begun()
    monkeypatch.setattr(duels, "start_due_match", lambda *_: None)
    join_duel(duel.event.code, new_guest(), box)
    assert not Match.objects.exists()
    start_due_match(duel.event_id, box)
    assert Match.objects.get().state == MatchState.PLAYING


def test_a_guest_has_so_many_games_and_not_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duels, "MOST_GAMES", 1)
    _, guest = begun()
    with pytest.raises(PlayError, match="1 games"):
        new_duel(guest, DuelSettings())


def test_the_lists_tell_who_waits_who_plays_and_what_is_over(box: BallotBox) -> None:
    waiting, _ = begun()
    begun(listed=False)
    playing, _, _ = joined(box, time_control=BY_SLUG["3-days"])
    over, _, _ = joined(box)
    with event_lock(over.event_id):
        Match.objects.filter(event=over.event).update(
            state=MatchState.ENDED, result="red", ended_by="board", ended_at=1
        )
    found = {kind: [line.code for line in page_of(kind, 1)] for kind in ("open", "running", "finished")}
    assert found == {
        "open": [waiting.event.code],
        "running": [playing.event.code],
        "finished": [over.event.code],
    }
    assert page_of("running", 1)[0].clock == "3 days"
    assert page_of("finished", 1)[0].won == 1


def test_an_open_game_is_listed_as_long_as_somebody_may_still_wait() -> None:
    short, _ = begun(time_control=BY_SLUG["1-min"])
    long, _ = begun(time_control=BY_SLUG["30-days"])
    for duel in (short, long):
        Event.objects.filter(pk=duel.event_id).update(created_at="2026-01-01T00:00Z")
        assert duel.event.lobby == Lobby.OPEN
    assert len(page_of("open", 1)) == 0
    Event.objects.update(created_at=long.event.created_at)
    assert len(page_of("open", 1)) == 2


def test_where_it_is_my_turn_comes_first(box: BallotBox) -> None:
    _, first, _ = joined(box)
    new_duel(first, DuelSettings())
    lines = games_for(first, box)
    assert [(line.state, line.your_turn) for line in lines] == [("playing", True), ("open", False)]


def test_a_game_is_found_by_a_name_or_by_its_whole_code(box: BallotBox) -> None:
    duel, first, second = joined(box)
    other, _, _ = joined(box)
    hidden, alone = begun(listed=False)

    def found(query: str, kind: Kind = "running") -> list[str]:
        return [line.code for line in page_of(kind, 1, query=query)]

    for query in (str(first), str(second).upper(), str(first.number), duel.event.code.lower()):
        assert found(query) == [duel.event.code]
    assert found("guest") == [other.event.code, duel.event.code]
    assert found(duel.event.code[:3]) == found("nobody") == found("%") == []
    assert found(str(alone), "open") == found(hidden.event.code, "open") == []


def test_what_is_typed_is_cut_and_has_no_letters_that_a_database_refuses() -> None:
    assert clean_query("  Gu\0est\n 7 ") == "Guest 7"
    assert len(clean_query("x" * 99)) == LONGEST_QUERY
