from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import replace

from crowdgame.events.nicknames import answer_nickname_ask
from crowdgame.results.analysis import stored_judges
from crowdgame.results.analysis.analyzed_turn import AnalyzedSide, AnalyzedTurn, pack_analysis
from crowdgame.results.analysis.best_judges import TurnLosses, hash_judge, rank_voters
from crowdgame.results.analysis.models import MatchJudges, TurnAnalysis
from games.engine.game import Side
from games.solver.solution import Solution
from tests.crowdgame.results.analysis.analysis_helpers import analyze_all, begin
from tests.voting.match_helpers import kinds, only_turn, play_turn
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import RESIGN, pack_ballots, unpack_ballots
from voting.counting.voter_codes import derive_voter_code
from voting.models import Match, Nickname, StoredRestriction, TallyRecord
from voting.protocol import NicknameAsk
from voting.sources.bots import ACCOUNT
from voting.sources.casting import derive_seat
from voting.terms import BOT, Admission

# What each column costs, and the columns that the voters of each side choose in every turn.
COSTS: dict[Side, dict[int, float]] = {
    "red": {1: 0.3, 2: 0.0, 3: 0.02},
    "yellow": {4: 0.4, 5: 0.01, 6: 0.2, 7: 0.5},
}
RED, YELLOW = [1, 1, 1, 2, 3], [4, 4, 5, 6, 7]
VOTERS = {derive_voter_code(f"{side}{number}"): f"{side}{number}" for side in COSTS for number in range(1, 6)}


def test_voters_are_ranked_by_average_cost_then_by_number_of_votes_then_by_lot() -> None:
    votes = {
        "often": [0.1, 0.0, 0.0, 0.0, 0.1, 0.1],  # 0.05 on average
        "less": [0.1, 0.0, 0.1, 0.0],  # 0.05, too
        "best": [0.0, 0.0, 0.1, 0.0],
        "worst": [0.9] * 6,
        "seldom": [0.0, 0.0, 0.0],
    }
    turns: list[TurnLosses] = [
        {"red": {voter: costs[turn] for voter, costs in votes.items() if turn < len(costs)}}
        for turn in range(6)
    ]
    assert rank_voters(turns, "lot") == ["best", "often", "less", "worst"]
    equals: list[TurnLosses] = [{"red": dict.fromkeys("abcdefgh", 0.0)} for _ in range(4)]
    assert rank_voters(equals, "1") == rank_voters(equals, "1") != rank_voters(equals, "2")
    # A voter needs half of the turns of the own side.
    turns = [{"red": {"all": 0.1, "half": 0.0, "four": 0.0}} for _ in range(4)]
    turns += [{"red": {"all": 0.1, "half": 0.0}}]
    turns += [{"red": {"all": 0.1}} for _ in range(5)]
    turns += [{"yellow": {"other": 0.2}} for _ in range(4)]
    assert rank_voters(turns, "lot") == ["half", "all", "other"]


def judge_with_costs(match: Match) -> None:
    """Store the judges as if columns cost COSTS in every turn."""
    solution = Solution(0.0, (1.0,), (1.0,), ((0.0,),), is_exact=True, depth=0)
    sides = {side: AnalyzedSide(pick=None, losses=costs, qualities={}) for side, costs in COSTS.items()}
    packed = pack_analysis(AnalyzedTurn(solution=solution, sides=sides, after=None))
    MatchJudges.objects.all().delete()
    TurnAnalysis.objects.all().delete()
    TurnAnalysis.objects.bulk_create(TurnAnalysis(turn=turn, packed=packed) for turn in match.turns.all())
    stored_judges.store_judges(match)


@pytest.fixture
def match(box: BallotBox, db: None) -> Match:
    """An ended match whose voters aren't judged yet."""
    match = begin(box, analysis="match")
    for number in range(4):
        play_turn(only_turn(match), box, RED, YELLOW)
        if number == 2:
            judge_with_costs(match)
            assert not MatchJudges.objects.exists(), "only after the match"
    TurnAnalysis.objects.all().delete()
    return Match.objects.select_related("event").get(pk=match.pk)


def judges(match: Match) -> list[str]:
    """The names of the judges if they have one, otherwise their ids, such as "red4"."""
    last = match.turns.latest("number").pk
    ids = {hash_judge(voter, last): voter for voter in VOTERS.values()}
    return [judge.name or ids[judge.hash] for judge in stored_judges.load_judges(match, match.event)]


def test_three_voters_are_named_by_their_nicknames(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    judge_with_costs(match)
    assert judges(match) == ["red4", "yellow3", "red5"]
    code = derive_voter_code("yellow3")
    Nickname.objects.create(event=match.event, voter_code=code, name="Heron", allowed=True, chosen_at=1)
    assert judges(match) == ["red4", "Heron", "red5"]
    first, *_ = stored_judges.load_judges(match, match.event)  # a hash that needs the voter's own id
    last = match.turns.get(number=4).pk
    assert first.hash == sha256(f"crowdgame judge:{last}:red4".encode()).hexdigest()
    assert derive_voter_code("red4") not in str(first)
    monkeypatch.setattr(stored_judges, "RANKED", 2)
    judge_with_costs(match)
    assert MatchJudges.objects.get().voters == ["red4", "yellow3"], "only the best are stored"


def test_judges_are_announced_and_change_nicknames_at_once(match: Match, box: BallotBox) -> None:
    analyze_all(box)
    event, announced = match.event, kinds(match.event_id)
    assert announced[-1] == "turn.analyzed"
    shown = load_snapshot(event).match
    assert shown
    assert shown.analysis
    assert shown.analysis.match
    assert len(shown.analysis.match.judges) == 3
    judge, *_ = codes = list(stored_judges.load_judge_hashes(match, event))
    other = next(code for code in VOTERS if code not in codes)
    edited = ["event.edited"]
    for voter, name, expected in ((other, "Heron 30", []), (judge, "Otter 12", edited), (judge, "", edited)):
        before = len(kinds(event.pk))
        answer_nickname_ask(event.pk, voter, NicknameAsk(name=name), box.now())
        assert kinds(event.pk)[before:] == expected


def test_judges_are_unnamed_if_votes_are_secret_few_or_not_analyzed(match: Match) -> None:
    judge_with_costs(match)
    before = stored_judges.judges_version(match)
    for setting in ({"hide_judges": True}, {"hide_tally": True}, {"admission": Admission.ROSTER}):
        event = vars(match.event).copy()
        vars(match.event).update(setting)
        assert judges(match) == []
        assert stored_judges.judges_version(match) != before
        vars(match.event).update(event)
    code = derive_voter_code("red4")
    muted = StoredRestriction.objects.create(event=match.event, voter_code=code, muted=True, at=1)
    assert "red4" in judges(match)
    muted.delete()
    match.max_side_changes = 1
    assert judges(match) == []
    match.max_side_changes = 0
    for banned, shown in ((("red4", "yellow3"), ["red5", "yellow4"]), (("yellow5",), [])):
        for voter in banned:
            code = derive_voter_code(voter)
            StoredRestriction.objects.create(event=match.event, voter_code=code, banned=True, at=1)
        assert judges(match)[:2] == shown
        assert stored_judges.judges_version(match) != before
    StoredRestriction.objects.all().delete()
    MatchJudges.objects.all().delete()
    TurnAnalysis.objects.filter(turn__number=2).delete()
    stored_judges.store_judges(match)
    assert judges(match) == []


@pytest.mark.parametrize("change", [{"voter": ""}, {"voter": "hand:1"}, {"voter": BOT}, {"choice": RESIGN}])
def test_no_judge_is_anonymized_a_hand_a_bot_or_resigning(match: Match, change: dict[str, Any]) -> None:
    if change == {"voter": BOT}:
        change = {"voter": derive_seat(match.event_id, "bot:5", ACCOUNT)}
    for tally in TallyRecord.objects.filter(side="red"):
        ballots = unpack_ballots(bytes(tally.sealed))
        changed = [replace(one, **change) if one.voter == "red4" else one for one in ballots]
        TallyRecord.objects.filter(pk=tally.pk).update(sealed=pack_ballots(changed))
    judge_with_costs(match)
    assert judges(match)[:2] == ["yellow3", "red5"]
