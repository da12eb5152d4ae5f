from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.duels import duels
from crowdgame.play.duels.duels import DuelSettings, PlayError, join_duel, new_duel, start_for_one
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.player_actions import OFFER_PAUSE_TURNS, DuelActionRefused, perform
from crowdgame.play.duels.rematch import request_rematch
from crowdgame.play.ratings.models import RatedMatch
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import kinds, only_turn, open_now, play, play_turn, run_out, start, vote
from tests.voting.sample_matches import record_of
from tests.voting.verifiers import verify
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, MatchResult, Offer, Turn, TurnState
from voting.protocol import DuelAction
from voting.terms import Ending, MatchState
from voting.turns.closing import close_turn

pytestmark = pytest.mark.django_db
TWO_TURNS = [(1, 2), (2, 1)]
ACTIONS: tuple[DuelAction, ...] = ("resign", "abort", "draw", "takeback", "decline")


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


def begin(box: BallotBox, one: Guest | None = None, two: Guest | None = None, **settings: Any) -> Playing:
    one, two = one or new_guest(), two or new_guest()
    duel = join_duel(new_duel(one, DuelSettings(**settings)).event.code, two, box)
    match = Match.objects.select_related("event", "red", "yellow").get(event=duel.event)
    red, yellow = (duel.one, duel.two) if match.red.number == 1 else (duel.two, duel.one)
    assert red
    assert yellow
    return Playing(duel, match, red, yellow)


def offers(playing: Playing) -> list[tuple[str, str, bool]]:
    match = load_snapshot(Event.objects.get(pk=playing.duel.event_id)).match
    assert match
    return [(offer.side, offer.kind, offer.declined) for offer in match.offers]


@pytest.mark.parametrize(
    ("actions", "ending", "said"),
    [
        (["resign"], (MatchResult.YELLOW, Ending.CONCEDED), "resigned"),
        (["draw", "draw"], (MatchResult.DRAW, Ending.AGREED), "agreed"),
    ],
)
def test_players_end_match_before_open_turn(
    actions: list[DuelAction], ending: tuple[str, str], said: str, box: BallotBox, tmp_path: Path
) -> None:
    playing = begin(box)
    play(playing.match, box, TWO_TURNS)
    live = only_turn(playing.match)
    open_now(live, box)
    vote(live, box, [3], [3])
    for team, action in zip(playing.teams, actions, strict=False):
        assert playing.ending()[0] == MatchState.PLAYING
        playing.do(team, action, box)
    assert playing.ending() == (MatchState.ENDED, *ending)
    live.refresh_from_db()
    assert (live.state, kinds(playing.duel.event_id)[-1]) == (TurnState.VOID, "match.stopped")
    record = record_of(playing.match)
    assert len(record.turns) == 2
    assert said in verify(msgspec.to_builtins(record), tmp_path)
    assert (RatedMatch.objects.get().yellow_after > 1200) == (said == "resigned")


@pytest.mark.parametrize("at_the_same_time", [False, True])
@pytest.mark.django_db(transaction=True)
def test_resignation_after_seal_beats_unrevealed_turn(at_the_same_time: bool, box: BallotBox) -> None:
    """The turn is over and could be revealed; either it or the resignation is committed first."""
    playing = begin(box)
    live = only_turn(playing.match)
    open_now(live, box)
    vote(live, box, [3], [4])
    run_out(live, box)
    acts: list[Callable[[BallotBox], object]] = [
        lambda own: close_turn(live.pk, own),
        lambda own: playing.do(playing.teams[1], "resign", own, live),
    ]

    def act(own: BallotBox) -> None:
        acts.pop()(own)

    if at_the_same_time:
        assert at_once(2, act) == []
    else:
        acts[1](box)
        acts[0](box)
        live.refresh_from_db()
        assert (live.state, live.red_pick) == (TurnState.VOID, None)
    assert playing.ending() == (MatchState.ENDED, MatchResult.RED, Ending.CONCEDED)
    assert not Turn.objects.filter(match=playing.match, state=TurnState.OPEN).exists()


def test_match_is_aborted_only_before_its_first_reveal(box: BallotBox) -> None:
    fresh, revealed = begin(box), begin(box)
    Match.objects.filter(pk=revealed.match.pk).update(bank_s=None, no_ballot_rule="pass")
    for _ in range(3):  # without votes, a duel doesn't pause
        play_turn(only_turn(revealed.match), box)
    assert only_turn(revealed.match).state == TurnState.OPEN
    assert revealed.refusal(1, "abort", box) == "not_possible"
    fresh.do(fresh.teams[0], "abort", box)
    assert fresh.ending() == (MatchState.ABORTED, None, None)
    assert revealed.ending()[0] == MatchState.PLAYING


def test_offer_can_not_be_answered_by_its_player_or_repeated_soon(box: BallotBox) -> None:
    playing = begin(box, casual=True)
    red, yellow = playing.teams
    playing.do(red, "draw", box)
    assert [playing.refusal(red, "draw", box) for _ in range(3)] == ["too_soon"] * 3
    assert playing.refusal(red, "decline", box) == "not_possible"
    playing.do(yellow, "decline", box)
    assert offers(playing) == [("red", "draw", True)]
    assert playing.refusal(yellow, "decline", box) == "not_possible"
    for picks in [(1, 2), (2, 1), (3, 4), (4, 3), (5, 6)][:OFFER_PAUSE_TURNS]:
        assert playing.refusal(red, "draw", box) == "too_soon"
        play(playing.match, box, [picks])
    playing.do(yellow, "takeback", box)
    assert playing.refusal(yellow, "takeback", box) == "too_soon"
    playing.do(red, "takeback", box)
    assert playing.refusal(red, "draw", box) == "too_soon", "the takeback does not shorten the pause"
    play(playing.match, box, [(6, 5)])
    playing.do(red, "draw", box)
    assert (Offer.objects.count(), playing.ending()[0]) == (3, MatchState.PLAYING)


def test_only_the_same_open_offer_of_the_opponent_is_accepted(box: BallotBox) -> None:
    lapsed, playing = begin(box), begin(box, casual=True)
    seen = only_turn(lapsed.match)
    lapsed.do(lapsed.teams[0], "draw", box)
    play(lapsed.match, box, TWO_TURNS[:1])
    assert offers(lapsed) == []
    assert lapsed.refusal(lapsed.teams[1], "draw", box, seen) == "turn_changed"
    lapsed.do(lapsed.teams[1], "draw", box)
    assert (offers(lapsed), lapsed.ending()[0]) == ([("yellow", "draw", False)], MatchState.PLAYING)
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


def test_only_casual_players_take_turn_back_and_once(box: BallotBox, tmp_path: Path) -> None:
    rated, casual = begin(box), begin(box, casual=True)
    play(rated.match, box, TWO_TURNS[:1])
    for playing in (rated, casual):
        assert playing.refusal(1, "takeback", box) == "not_possible", "rated, or before the first reveal"
    assert not Offer.objects.exists()
    play(casual.match, box, TWO_TURNS)
    seen = only_turn(casual.match)
    for team in (1, 2):
        casual.do(team, "takeback", box)
    for team in (1, 2):
        assert casual.refusal(team, "takeback", box, seen) == "turn_changed"
    assert (only_turn(casual.match).number, casual.ending()[0]) == (2, MatchState.PLAYING)
    record = record_of(casual.match)
    assert len(record.turns) == 1
    verify(msgspec.to_builtins(record), tmp_path)


def test_other_matches_and_events_without_players_accept_nothing(box: BallotBox) -> None:
    mine, other, turn = begin(box, casual=True), begin(box), start(box)
    seen = only_turn(mine.match)
    mine.do(1, "resign", box)
    for action in ACTIONS:
        with pytest.raises(PlayError):
            mine.do(2, action, box, seen)
        with pytest.raises(DuelActionRefused):
            perform(turn.match.event_id, 1, action, turn.pk, box)
    assert mine.ending()[2] == Ending.CONCEDED
    assert Match.objects.get(pk=turn.match_id).state == MatchState.PLAYING
    for team in (1, 2):
        request_rematch(mine.duel.event_id, team, box)
    rematch = mine._replace(match=Match.objects.get(event=mine.duel.event, number=2))
    for action in ACTIONS:
        for team, shown in ((1, seen), (2, seen), (1, only_turn(other.match))):
            assert mine.refusal(team, action, box, shown) in ("turn_changed", "not_possible")
    for playing in (rematch, other):  # a pause between offers is one match's
        playing.do(1, "draw", box)
        assert playing.ending()[:2] == (MatchState.PLAYING, None)


def test_crowd_can_neither_resign_nor_agree_to_draw(box: BallotBox) -> None:
    guest = new_guest()
    duel = start_for_one(new_duel(guest, DuelSettings(crowd=True)).event.code, guest, box)
    turn, player = only_turn(Match.objects.get(event=duel.event)).pk, duels.seat_number(duel, guest)
    refused: list[tuple[int, DuelAction]] = [(3 - player, "resign"), (3 - player, "abort")]
    for team, action in [*refused, (player, "draw"), (3 - player, "draw")]:
        with pytest.raises(DuelActionRefused):
            perform(duel.event_id, team, action, turn, box)
    perform(duel.event_id, player, "resign", turn, box)
    assert Match.objects.get().ended_by == Ending.CONCEDED


def test_only_a_waiting_game_is_withdrawn_and_only_by_its_creator(box: BallotBox, client: Client) -> None:
    guest, playing = new_guest(), begin(box)
    for _ in range(2):  # in both seats
        code = new_duel(guest, DuelSettings()).event.code
        for refused, by in ((code, new_guest()), (playing.duel.event.code, playing.red)):
            with pytest.raises(PlayError):
                duels.withdraw_duel(refused, by)
        duels.withdraw_duel(code, guest)
        assert list(Event.objects.all()) == [playing.duel.event]
    for answer in (client.get(f"/play/{code}"), client.post(f"/play/{code}/join")):
        assert (answer.status_code, "Its creator withdrew it" in answer.content.decode()) == (410, True)


def test_guests_act_on_page_only_as_players_and_for_themselves(box: BallotBox, client: Client) -> None:
    """The cookie decides who resigns, not what the request says."""
    playing = begin(box)
    turn = {"turn": only_turn(playing.match).pk}
    address = f"/play/{playing.duel.event.code}"
    for path in ("do/resign", "withdraw"):
        assert client.post(f"{address}/{path}", turn).status_code == 403
    other = client.post("/play/new")["Location"]
    for path, fields, status in (("resign", turn, 403), ("explode", turn, 404), ("resign", {}, 404)):
        assert client.post(f"{address}/do/{path}", fields).status_code == status
    assert client.get(f"{address}/do/resign").status_code == 405
    assert playing.ending()[0] == MatchState.PLAYING
    Client().post(f"{other}/join")
    match = Match.objects.latest("pk")
    forged = {"turn": only_turn(match).pk, "team": "1", "side": "red"}
    client.post(f"{other}/do/resign", forged)  # the creator of a second game plays yellow
    match.refresh_from_db()
    assert (match.ended_by, match.result) == (Ending.CONCEDED, MatchResult.RED)
