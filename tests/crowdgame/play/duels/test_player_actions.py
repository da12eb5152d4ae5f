"""Players of a duel resign, abort, agree to a draw and take turns back, in time; nobody else can."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.duels import duels
from crowdgame.play.duels.duels import DuelSettings, PlayError, join_duel, new_duel, withdraw_duel
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.player_actions import OFFER_PAUSE_TURNS, DuelActionRefused, perform
from crowdgame.play.ratings.models import RatedMatch
from crowdgame.server.laptop.paths import ROOT
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import kinds, only_turn, open_now, play, play_turn, run_out, start, vote
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, MatchResult, Offer, Turn, TurnState
from voting.protocol import DuelAction
from voting.records.exports import export_match
from voting.records.match_record import MatchRecord
from voting.records.recount import find_faults
from voting.terms import Ending, MatchState
from voting.turns.closing import close_turn

pytestmark = pytest.mark.django_db
TWO_TURNS = [(1, 2), (2, 1)]


class Playing(NamedTuple):
    duel: Duel
    match: Match
    red: Guest
    yellow: Guest

    @property
    def teams(self) -> tuple[int, int]:
        return self.match.red.number, self.match.yellow.number

    def do(self, team: int, action: DuelAction, box: BallotBox, turn: Turn | None = None) -> None:
        perform(self.duel.event_id, team, action, (turn or only_turn(self.match)).pk, box)

    def refusal(self, team: int, action: DuelAction, box: BallotBox, turn: Turn | None = None) -> str:
        with pytest.raises(DuelActionRefused) as refused:
            self.do(team, action, box, turn)
        return refused.value.code

    def ending(self) -> tuple[str, str | None, str | None]:
        self.match.refresh_from_db()
        return self.match.state, self.match.result, self.match.ended_by


def begin(box: BallotBox, **settings: Any) -> Playing:
    one, two = new_guest(), new_guest()
    duel = join_duel(new_duel(one, DuelSettings(**settings)).event.code, two, box)
    match = Match.objects.select_related("red", "yellow").get(event=duel.event)
    red, yellow = (duel.one, duel.two) if match.red.number == 1 else (duel.two, duel.one)
    assert red
    assert yellow
    return Playing(duel, match, red, yellow)


def standalone_verifier(record: MatchRecord, folder: Path) -> str:
    """The output of the verification script, which must find no fault."""
    path = folder / "record.json"
    path.write_bytes(msgspec.json.encode(record))
    script = [sys.executable, str(ROOT / "docs" / "verify.py"), str(path)]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def export(playing: Playing) -> MatchRecord:
    exported = export_match(playing.duel.event.code, 1)
    assert exported
    return exported.record


def offers(playing: Playing) -> list[tuple[str, str, bool]]:
    match = load_snapshot(Event.objects.get(pk=playing.duel.event_id)).match
    assert match
    return [(offer.side, offer.kind, offer.declined) for offer in match.offers]


def test_resignation_ends_match_before_open_turn(box: BallotBox, tmp_path: Path) -> None:
    playing = begin(box)
    play(playing.match, box, TWO_TURNS)
    live = only_turn(playing.match)
    open_now(live, box)
    vote(live, box, [3], [3])
    playing.do(playing.teams[0], "resign", box)
    assert playing.ending() == (MatchState.ENDED, MatchResult.YELLOW, Ending.CONCEDED)
    live.refresh_from_db()
    assert live.state == TurnState.VOID
    assert kinds(playing.duel.event_id)[-1] == "match.stopped"
    record = export(playing)
    assert len(record.turns) == 2
    assert find_faults(record) == []
    assert "resigned" in standalone_verifier(record, tmp_path)
    assert RatedMatch.objects.get(match=playing.match).yellow_after > 1200


def test_resignation_after_seal_beats_unrevealed_turn(box: BallotBox) -> None:
    """The turn is over and could be revealed, but the resignation is committed first."""
    playing = begin(box)
    live = only_turn(playing.match)
    open_now(live, box)
    vote(live, box, [3], [4])
    run_out(live, box)
    playing.do(playing.teams[1], "resign", box)
    close_turn(live.pk, box)
    live.refresh_from_db()
    assert (live.state, live.red_pick) == (TurnState.VOID, None)
    assert playing.ending() == (MatchState.ENDED, MatchResult.RED, Ending.CONCEDED)


@pytest.mark.django_db(transaction=True)
def test_resignation_and_closing_at_once_end_match_once(box: BallotBox) -> None:
    playing = begin(box)
    live = only_turn(playing.match)
    open_now(live, box)
    vote(live, box, [3], [4])
    run_out(live, box)
    team, todo = playing.teams[0], ["resign", "close"]

    def act(own: BallotBox) -> None:
        if todo.pop() == "resign":
            perform(playing.duel.event_id, team, "resign", live.pk, own)
        else:
            close_turn(live.pk, own)

    assert at_once(2, act) == []
    assert playing.ending() == (MatchState.ENDED, MatchResult.YELLOW, Ending.CONCEDED)
    assert not Turn.objects.filter(match=playing.match, state=TurnState.OPEN).exists()


@pytest.mark.django_db(transaction=True)
def test_both_resign_at_once_and_one_does(box: BallotBox) -> None:
    playing = begin(box)
    turn, teams = only_turn(playing.match).pk, [1, 2]
    refused = at_once(2, lambda own: perform(playing.duel.event_id, teams.pop(), "resign", turn, own))
    assert len(refused) == 1
    assert playing.ending()[2] == Ending.CONCEDED


@pytest.mark.parametrize("action", ["resign", "draw"])
def test_match_that_ends_in_its_second_turn_is_rated(action: DuelAction, box: BallotBox) -> None:
    playing = begin(box)
    play(playing.match, box, TWO_TURNS[:1])
    for team in playing.teams:
        if playing.ending()[0] == MatchState.PLAYING:
            playing.do(team, action, box)
    assert playing.ending()[0] == MatchState.ENDED
    assert RatedMatch.objects.filter(match=playing.match).exists()


def test_duel_without_votes_goes_on(box: BallotBox) -> None:
    playing = begin(box)
    Match.objects.update(bank_s=None, no_ballot_rule="pass")
    for _ in range(3):
        play_turn(only_turn(playing.match), box)
    assert only_turn(playing.match).state == TurnState.OPEN


def test_match_without_revealed_turn_can_be_aborted(box: BallotBox) -> None:
    playing = begin(box)
    playing.do(playing.teams[0], "abort", box)
    assert playing.ending() == (MatchState.ABORTED, None, None)


def test_match_can_not_be_aborted_after_first_turn(box: BallotBox) -> None:
    playing = begin(box)
    play(playing.match, box, TWO_TURNS[:1])
    assert playing.refusal(1, "abort", box) == "not_possible"
    assert playing.ending()[0] == MatchState.PLAYING


def test_accepted_draw_ends_match(box: BallotBox, tmp_path: Path) -> None:
    playing = begin(box)
    play(playing.match, box, TWO_TURNS)
    red, yellow = playing.teams
    playing.do(red, "draw", box)
    assert offers(playing) == [("red", "draw", False)]
    playing.do(yellow, "draw", box)
    assert playing.ending() == (MatchState.ENDED, MatchResult.DRAW, Ending.AGREED)
    record = export(playing)
    assert find_faults(record) == []
    assert "agreed" in standalone_verifier(record, tmp_path)
    assert RatedMatch.objects.filter(match=playing.match).exists()


def test_offer_lapses_when_turn_closes(box: BallotBox) -> None:
    playing = begin(box)
    red, yellow = playing.teams
    seen = only_turn(playing.match)
    playing.do(red, "draw", box)
    play(playing.match, box, TWO_TURNS[:1])
    assert offers(playing) == []
    assert playing.refusal(yellow, "draw", box, seen) == "turn_changed"
    playing.do(yellow, "draw", box)
    assert playing.ending()[0] == MatchState.PLAYING
    assert offers(playing) == [("yellow", "draw", False)]


def test_declined_offer_can_not_be_accepted_or_repeated_soon(box: BallotBox) -> None:
    playing = begin(box)
    red, yellow = playing.teams
    playing.do(red, "draw", box)
    playing.do(yellow, "decline", box)
    assert offers(playing) == [("red", "draw", True)]
    assert playing.refusal(yellow, "decline", box) == "not_possible"
    for picks in [(1, 2), (2, 1), (3, 4), (4, 3), (5, 6)][:OFFER_PAUSE_TURNS]:
        assert playing.refusal(red, "draw", box) == "too_soon"
        play(playing.match, box, [picks])
    playing.do(red, "draw", box)
    assert playing.ending()[0] == MatchState.PLAYING


def test_player_can_not_accept_own_offer(box: BallotBox) -> None:
    playing = begin(box)
    playing.do(1, "draw", box)
    assert playing.refusal(1, "draw", box) == "too_soon"
    assert playing.refusal(1, "decline", box) == "not_possible"
    assert playing.ending()[0] == MatchState.PLAYING


def test_only_the_same_open_offer_of_the_opponent_is_accepted(box: BallotBox) -> None:
    playing = begin(box, casual=True)
    play(playing.match, box, TWO_TURNS)
    red, yellow = playing.teams
    playing.do(red, "draw", box)
    playing.do(yellow, "takeback", box)
    assert only_turn(playing.match).number == 3
    playing.do(yellow, "decline", box)
    playing.do(yellow, "draw", box)
    expected = [("red", "draw", True), ("yellow", "takeback", False), ("yellow", "draw", False)]
    assert sorted(offers(playing)) == sorted(expected)
    assert playing.ending()[0] == MatchState.PLAYING


def test_casual_players_take_turn_back(box: BallotBox) -> None:
    playing = begin(box, casual=True)
    play(playing.match, box, TWO_TURNS)
    playing.do(1, "takeback", box)
    playing.do(2, "takeback", box)
    assert (only_turn(playing.match).number, playing.ending()[0]) == (2, MatchState.PLAYING)
    assert len(export(playing).turns) == 1
    assert find_faults(export(playing)) == []
    play(playing.match, box, [(1, 2), (1, 3), (1, 2)])
    assert playing.ending()[1] == MatchResult.RED
    assert not RatedMatch.objects.exists()


def test_takeback_is_refused_in_rated_games_and_before_first_reveal(box: BallotBox) -> None:
    rated, casual = begin(box), begin(box, casual=True)
    play(rated.match, box, TWO_TURNS[:1])
    assert rated.refusal(1, "takeback", box) == "not_possible"
    assert casual.refusal(1, "takeback", box) == "not_possible"
    assert not Offer.objects.exists()


def test_takeback_offered_before_reveal_does_not_undo_it(box: BallotBox) -> None:
    playing = begin(box, casual=True)
    play(playing.match, box, TWO_TURNS[:1])
    seen = only_turn(playing.match)
    playing.do(1, "takeback", box)
    play(playing.match, box, TWO_TURNS[1:])
    assert playing.refusal(2, "takeback", box, seen) == "turn_changed"
    assert only_turn(playing.match).number == 3


def test_ended_match_accepts_nothing(box: BallotBox) -> None:
    playing = begin(box, casual=True)
    seen = only_turn(playing.match)
    playing.do(1, "resign", box)
    actions: tuple[DuelAction, ...] = ("resign", "abort", "draw", "takeback", "decline")
    for action in actions:
        with pytest.raises(PlayError):
            perform(playing.duel.event_id, 2, action, seen.pk, box)
    assert playing.ending()[2] == Ending.CONCEDED


def test_crowd_can_neither_resign_nor_agree_to_draw(box: BallotBox) -> None:
    guest = new_guest()
    duel = duels.start_for_one(new_duel(guest, DuelSettings(crowd=True)).event.code, guest, box)
    turn = only_turn(Match.objects.get(event=duel.event))
    player = duels.seat_number(duel, guest)
    for team, action in (
        (3 - player, "resign"),
        (3 - player, "abort"),
        (player, "draw"),
        (3 - player, "draw"),
    ):
        with pytest.raises(DuelActionRefused):
            perform(duel.event_id, team, action, turn.pk, box)  # type: ignore[arg-type]
    perform(duel.event_id, player, "resign", turn.pk, box)
    assert Match.objects.get().ended_by == Ending.CONCEDED


def test_events_without_players_accept_nothing(box: BallotBox) -> None:
    turn = start(box)
    for action in ("resign", "abort", "draw", "takeback", "decline"):
        with pytest.raises(DuelActionRefused):
            perform(turn.match.event_id, 1, action, turn.pk, box)
    assert Match.objects.get().state == MatchState.PLAYING


def test_waiting_game_can_be_withdrawn_by_its_creator(box: BallotBox) -> None:
    guest = new_guest()
    for _ in range(2):  # in both seats
        duel = new_duel(guest, DuelSettings())
        with pytest.raises(PlayError):
            withdraw_duel(duel.event.code, new_guest())
        withdraw_duel(duel.event.code, guest)
        assert not Event.objects.filter(pk=duel.event_id).exists()


def test_link_of_withdrawn_game_explains_that_it_is_gone(client: Client) -> None:
    guest = new_guest()
    code = new_duel(guest, DuelSettings()).event.code
    withdraw_duel(code, guest)
    for answer in (client.get(f"/play/{code}"), client.post(f"/play/{code}/join")):
        assert answer.status_code == 410
        assert "Its creator withdrew it" in answer.content.decode()


def test_started_game_can_not_be_withdrawn(box: BallotBox) -> None:
    playing = begin(box)
    with pytest.raises(PlayError):
        withdraw_duel(playing.duel.event.code, playing.red)
    assert Event.objects.filter(pk=playing.duel.event_id).exists()


def test_strangers_can_not_act_on_page(box: BallotBox, client: Client) -> None:
    playing = begin(box)
    turn = only_turn(playing.match).pk
    address = f"/play/{playing.duel.event.code}"
    assert client.post(f"{address}/do/resign", {"turn": turn}).status_code == 403
    assert client.post(f"{address}/withdraw").status_code == 403
    client.post("/play/new")  # a guest of another game
    assert client.post(f"{address}/do/resign", {"turn": turn}).status_code == 403
    assert client.post(f"{address}/do/explode", {"turn": turn}).status_code == 404
    assert client.post(f"{address}/do/resign").status_code == 404
    assert client.get(f"{address}/do/resign").status_code == 405
    assert playing.ending()[0] == MatchState.PLAYING


def test_altered_record_of_crowd_is_not_excused(box: BallotBox) -> None:
    """A match that the board decided can't be declared conceded."""
    match = start(box).match
    play(match, box, [(1, 2), (1, 3), (1, 2), (1, 3)])
    exported = export_match(match.event.code, 1)
    assert exported
    plain = json.loads(msgspec.json.encode(exported.record))
    plain |= {"result": "yellow", "ended_by": "conceded"}
    assert find_faults(msgspec.convert(plain, MatchRecord)) != []


def test_report_says_who_resigned_in_first_turn(box: BallotBox, client: Client) -> None:
    playing = begin(box)
    playing.do(playing.teams[0], "resign", box)
    page = client.get(f"/report/{playing.duel.event.code}/1").content.decode()
    assert "resigned after 0 turns" in page
