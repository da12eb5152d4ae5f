"""Describes a match report in sentences. They contain team names as entered: escape them in HTML."""

from collections.abc import Iterator

from crowdgame.reports.match_report import MatchReport, SideVote, TurnReport
from crowdgame.reports.turning_point import line_cells
from games.engine.game import SIDES, Side, insert_team_names, other_side
from games.rules.columns import LINE
from voting.counting.methods.voting_method import METHODS

#: The explanation of a pick by each voting method that needs one.
METHOD_REPORTS = {method.decided_by: method.report for method in METHODS.values() if method.report}


def describe_result(report: MatchReport) -> str:
    """Return the headline: who won, or why nobody did."""
    if report.winner:
        return f"{report.teams[report.winner]} won"
    return {"draw": "Draw", "aborted": "Stopped early"}.get(report.end, "Match in progress")


def describe_end(report: MatchReport) -> str:
    """Describe how the match ended, or how far it is."""
    last = len(report.turns)
    if report.end == "playing":
        return f"{_turns(last)} so far. The open vote is not shown."
    if report.end == "aborted":
        return f"The organizer stopped the match after {_turns(last)}."
    if report.resigned:
        who = "Both teams" if report.winner is None else report.teams[other_side(report.winner)]
        return f"{who} resigned in turn {last}."
    if report.forfeited:
        return _describe_forfeit(report, last)
    if report.winner is None:
        why = "the score is tied" if report.board.drawing else "the board is full, with no four in a row"
        return f"After {_turns(last)} {why}."
    return _describe_win(report, report.winner, last)


def _describe_forfeit(report: MatchReport, last: int) -> str:
    if report.deserted and report.winner:
        return f"Everyone had left {report.teams[other_side(report.winner)]} by turn {last}."
    if report.by_time:
        who = "Both teams" if report.winner is None else report.teams[other_side(report.winner)]
        return f"{who} ran out of time in turn {last}."
    if report.winner is None:
        return f"Neither team voted in turn {last}."
    return f"Nobody from {report.teams[other_side(report.winner)]} voted in turn {last}."


def _describe_win(report: MatchReport, winner: Side, last: int) -> str:
    if report.board.drawing:
        return f"{report.teams[winner]} won in turn {last}."
    lines = report.turns[-1].resolution.lines
    longest = max(map(len, lines), default=LINE)
    made = "Four" if longest == LINE else ("Five", "Six", "Seven")[longest - LINE - 1]
    more = f", in {len(lines)} lines" if len(lines) > 1 else ""
    if line_cells(report.board, other_side(winner)):
        loser = report.teams[other_side(winner)]
        return f"Both teams had four in a row in turn {last}. The token decided against {loser}."
    return f"{made} in a row in turn {last}{more}."


def describe_turning_point(report: MatchReport) -> str:
    """Describe the turning point. Empty if there is none."""
    point, winner = report.turning_point, report.winner
    if point is None or winner is None:
        return ""
    name = report.teams[winner]
    if not point.threats:
        return f"The win came as a surprise: before turn {point.turn}, {name} had no winning column."
    text = f"From turn {point.turn} to the end, {name} always had a winning column: "
    text += f"at first {_columns(point.threats)}."
    if point.certain_since is not None:
        since = (
            "They also held the token"
            if point.certain_since == point.turn
            else f"From turn {point.certain_since} on, they also held the token"
        )
        text += f" {since}, so the other team couldn't block it."
    return text


def _columns(columns: tuple[int, ...]) -> str:
    if len(columns) == 1:
        return f"column {columns[0]}"
    return f"columns {', '.join(map(str, columns[:-1]))} and {columns[-1]}"


def _action_phrase(report: MatchReport, action: int) -> str:
    """Name an action within a sentence: its own name, or "column 3"."""
    return report.start.action_name(action) if report.start.choices else f"column {action}"


def describe_turn(report: MatchReport, turn: TurnReport) -> str:
    """Describe what the teams chose in a turn, and its outcome."""
    return " ".join(_sentences(report, turn))


def _sentences(report: MatchReport, turn: TurnReport) -> Iterator[str]:
    came = turn.resolution
    if came.conflict:
        yield f"Both chose column {came.conflict}."
    else:
        chosen = [
            f"{report.teams[s]} chose {_action_phrase(report, v.pick)}"
            for s, v in turn.votes.items()
            if v.pick
        ]
        if chosen:
            yield f"{', '.join(chosen)}{', in secret' if turn.board.vote == 'open' else ''}."
    for side, vote in turn.votes.items():
        if report.by_time and turn is report.turns[-1]:
            yield from _describe_clock(report.teams[side], vote)
        else:
            yield from _describe_deciding(report, report.teams[side], vote)
    if came.sentences:
        yield insert_team_names(" ".join(came.sentences), report.teams)
    if came.conflict:
        yield from _describe_conflict(report, turn)
    if came.lines and came.result in SIDES:
        yield f"Four in a row for {report.teams[came.result]}."


def _describe_clock(name: str, vote: SideVote) -> Iterator[str]:
    """Sentences about one team in the turn in which a side ran out of time."""
    if vote.decided_by == "forfeit":
        yield f"{name} ran out of time and lost the match."
    elif vote.decided_by == "pass":
        yield f"{name} had time left."


def _describe_deciding(report: MatchReport, name: str, vote: SideVote) -> Iterator[str]:
    pick = _action_phrase(report, vote.pick) if vote.pick else ""
    rounds = vote.rounds or ()
    runoff = len(rounds) > 1
    tie = f"{name} had a tie in round {len(rounds)}" if runoff else f"{name} had a tie"
    explanations = {
        "first": f"{tie}, and {pick} reached its votes first.",
        "lot": f"{tie}, and {pick} was drawn at random.",
        "captain": f"{tie}, and the captain chose {pick}.",
        "random": f"Nobody from {name} voted, and {pick} was drawn at random.",
        "pass": f"Nobody from {name} voted, so they made no move.",
        "forfeit": f"Nobody from {name} voted, so they lost the match.",
        "resign": f"{vote.resigning:,} of {vote.ballots:,} voters from {name} chose to resign.",
    }
    if vote.decided_by in explanations:
        yield explanations[vote.decided_by]
    elif vote.decided_by in METHOD_REPORTS:
        yield METHOD_REPORTS[vote.decided_by].format(team=name, pick=pick)
    if runoff:
        described = "; ".join(_describe_round(report, counts) for counts in rounds)
        yield f"{name}'s ranking, round by round: {described}."


def _describe_round(report: MatchReport, counts: tuple[int, ...]) -> str:
    named = ((report.start.action_name(column), count) for column, count in enumerate(counts, 1) if count)
    return ", ".join(f"{count:,} for {name}" for name, count in named)


def _describe_conflict(report: MatchReport, turn: TurnReport) -> Iterator[str]:
    first, second = turn.resolution.drops
    held, gets = report.teams[first.side], report.teams[second.side]
    then = f"there was no space left for {gets}" if second.row is None else f"{gets} landed on top"
    yield f"{held} held the token and dropped first; {then}. The token went to {gets}."


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
