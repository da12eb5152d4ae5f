"""Describes a match report in sentences of the active language.

They contain team names as entered: escape them in HTML.
"""

from collections.abc import Iterator, Sequence

from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from crowdgame.results.reports.match_report import MatchReport, SideVote, TurnReport
from games.engine.game import SIDES, Side, insert_team_names, other_side
from games.engine.texts import translate_text
from games.rules.columns import LINE
from voting.counting.draw_offers import wants_draw
from voting.counting.methods.voting_method import METHODS
from voting.terms import EndReason

#: The explanation of a pick by each voting method that needs one.
METHOD_REPORTS = {method.decided_by: method.report for method in METHODS.values() if method.report}


def describe_result(report: MatchReport) -> str:
    """Return the headline: who won, or why nobody did."""
    if report.winner:
        return _("%(team)s won") % {"team": report.teams[report.winner]}
    if report.end == "draw":
        return _("Draw")
    return _("Stopped early") if report.end == "aborted" else _("Match in progress")


def describe_end(report: MatchReport) -> str:
    """Describe how the match ended, or how far it is."""
    if report.winner:
        return _describe_win(report, report.winner)
    count = len(report.turns)
    if report.end == "playing":
        text = ngettext(
            "%(turns)s turn so far. The open vote is not shown.",
            "%(turns)s turns so far. The open vote is not shown.",
            count,
        )
    elif report.end == "aborted":
        text = ngettext(
            "The organizer stopped the match after %(turns)s turn.",
            "The organizer stopped the match after %(turns)s turns.",
            count,
        )
    else:
        text = _draw_text(report.reason, count)
    return text % {"turns": count}


def _draw_text(reason: EndReason | None, count: int) -> str:
    """Return the sentence about a draw after `count` turns, with the placeholder `turns`."""
    texts = {
        EndReason.RESIGN: _("Both teams resigned in turn %(turns)s."),
        EndReason.TIME: _("Both teams ran out of time in turn %(turns)s."),
        EndReason.FORFEIT: _("Neither team voted in turn %(turns)s."),
        EndReason.AGREED: ngettext(
            "Both agreed to a draw after %(turns)s turn.",
            "Both agreed to a draw after %(turns)s turns.",
            count,
        ),
        EndReason.GAME: ngettext(
            "After %(turns)s turn the score is tied.", "After %(turns)s turns the score is tied.", count
        ),
    }
    full = ngettext(
        "After %(turns)s turn the board is full, with no four in a row.",
        "After %(turns)s turns the board is full, with no four in a row.",
        count,
    )
    return texts.get(reason, full) if reason else full


def _describe_win(report: MatchReport, winner: Side) -> str:
    loser = other_side(winner)
    count = len(report.turns)
    conceded = ngettext(
        "%(loser)s resigned after %(turn)s turn.", "%(loser)s resigned after %(turn)s turns.", count
    )
    texts = {
        EndReason.CONCEDED: conceded,
        EndReason.RESIGN: _("%(loser)s resigned in turn %(turn)s."),
        EndReason.DESERTED: _("Everyone had left %(loser)s by turn %(turn)s."),
        EndReason.TIME: _("%(loser)s ran out of time in turn %(turn)s."),
        EndReason.FORFEIT: _("Nobody from %(loser)s voted in turn %(turn)s."),
        EndReason.HOLDER: _("Both teams had four in a row in turn %(turn)s. %(winner)s held the token."),
        EndReason.OTHER: _(
            "Both teams had four in a row in turn %(turn)s. %(loser)s held the token, "
            "which loses by the rules of this match."
        ),
    }
    if report.reason == EndReason.LINE:
        text = _describe_lines(report.turns[-1].resolution.lines)
    else:
        text = texts[report.reason] if report.reason in texts else _("%(winner)s won in turn %(turn)s.")
    names = {"winner": report.teams[winner], "loser": report.teams[loser]}
    return text % {**names, "turn": count}


def _describe_lines(lines: Sequence[Sequence[object]]) -> str:
    in_a_row = (
        _("Four in a row in turn %(turn)s."),
        _("Five in a row in turn %(turn)s."),
        _("Six in a row in turn %(turn)s."),
        _("Seven in a row in turn %(turn)s."),
    )
    text = in_a_row[max(map(len, lines), default=LINE) - LINE]
    if len(lines) <= 1:
        return text
    more = ngettext("%(lines)s line was completed.", "%(lines)s lines were completed at once.", len(lines))
    return f"{text} {more % {'lines': len(lines)}}"


def describe_turning_point(report: MatchReport) -> str:
    """Describe the turning point. Empty if there is none."""
    point, winner = report.turning_point, report.winner
    if point is None or winner is None:
        return ""
    values = {"turn": point.turn, "team": report.teams[winner]}
    if not point.threats:
        text = _("The win came as a surprise: before turn %(turn)s, %(team)s had no winning column.")
        return text % values
    text = ngettext(
        "From turn %(turn)s to the end, %(team)s always had a winning column: at first column %(columns)s.",
        "From turn %(turn)s to the end, %(team)s always had a winning column: at first columns %(columns)s.",
        len(point.threats),
    )
    if point.certain_since == point.turn:
        text += " " + _("They also held the token, so the other team couldn't block it.")
    elif point.certain_since is not None:
        text += " " + _(
            "They also held the token from turn %(since)s on, so the other team couldn't block it."
        )
    return text % {**values, "columns": join_list(point.threats), "since": point.certain_since}


def describe_judges(names: Sequence[str]) -> str:
    """Return the sentence about the best judges, "" without any. Names may be ""."""
    if not names:
        return ""
    if not any(names):
        return _("The three best judges have no nicknames.")
    return _("Best judges: %(names)s") % {"names": join_list([name or _("a voter") for name in names])}


def join_list(items: Sequence[object]) -> str:
    """Return "1, 2 and 3"."""
    return get_text_list(list(map(str, items)), pgettext("before the last item of a list", "and"))


def describe_action(report: MatchReport, action: int) -> str:
    """Name an action: its own name, or its number."""
    return translate_text(report.start.action_name(action), _) if report.start.choices else str(action)


def _action_phrase(report: MatchReport, action: int) -> str:
    """Name an action within a sentence: its own name, or "column 3"."""
    name = describe_action(report, action)
    # Translators: part of a sentence, as in “Team 1 chose column 3.”
    return name if report.start.choices else _("column %(number)s") % {"number": name}


def describe_turn(report: MatchReport, turn: TurnReport) -> str:
    """Describe what the teams chose in a turn, and its outcome."""
    return " ".join(_sentences(report, turn))


def _sentences(report: MatchReport, turn: TurnReport) -> Iterator[str]:
    came = turn.resolution
    yield from _describe_choices(report, turn)
    for side, vote in turn.votes.items():
        if report.reason == EndReason.TIME and turn is report.turns[-1]:
            yield from _describe_clock(report.teams[side], vote)
        else:
            yield from _describe_deciding(report, report.teams[side], vote)
    for sentence in came.sentences:
        yield insert_team_names(translate_text(sentence, _), report.teams)
    if came.conflict:
        yield _describe_conflict(report, turn)
        if came.result == "open":
            yield _("The token went to %(team)s.") % {"team": report.teams[came.drops[1].side]}
    if came.result in SIDES and came.lines:
        completed = (other_side(came.result), came.result) if came.losing_lines else (came.result,)
        for side in completed:
            yield _("Four in a row for %(team)s.") % {"team": report.teams[side]}


def _describe_choices(report: MatchReport, turn: TurnReport) -> Iterator[str]:
    if turn.resolution.conflict:
        yield _("Both chose column %(column)s.") % {"column": turn.resolution.conflict}
        return
    chosen = [
        {"team": report.teams[side], "choice": _action_phrase(report, vote.pick)}
        for side, vote in turn.votes.items()
        if vote.pick
    ]
    if len(chosen) == len(SIDES):
        text = _("%(team)s chose %(choice)s, %(other_team)s chose %(other_choice)s.")
        yield text % {**chosen[0], **{f"other_{name}": value for name, value in chosen[1].items()}}
    elif chosen:
        secret = turn.board.vote == "open"
        yield (_("%(team)s chose %(choice)s, in secret.") if secret else _("%(team)s chose %(choice)s.")) % (
            chosen[0]
        )


def _describe_draw_votes(name: str, vote: SideVote) -> str:
    text = ngettext(
        "%(votes)s of %(voters)s voter from %(team)s asked for a draw.",
        "%(votes)s of %(voters)s voters from %(team)s asked for a draw.",
        vote.ballots,
    )
    values = {"votes": format_count(vote.draw_votes), "voters": format_count(vote.ballots), "team": name}
    return text % values


def _describe_clock(name: str, vote: SideVote) -> Iterator[str]:
    """Sentences about one team in the turn in which a side ran out of time."""
    if vote.decided_by == "forfeit":
        yield _("%(team)s ran out of time and lost the match.") % {"team": name}
    elif vote.decided_by == "pass":
        yield _("%(team)s had time left.") % {"team": name}


def _describe_deciding(report: MatchReport, name: str, vote: SideVote) -> Iterator[str]:
    rounds = vote.rounds or ()
    explanations = {
        "first": _("%(team)s had a tie, and %(pick)s reached its votes first."),
        "lot": _("%(team)s had a tie, and %(pick)s was drawn at random."),
        "captain": _("%(team)s had a tie, and the captain chose %(pick)s."),
        "random": _("Nobody from %(team)s voted, and %(pick)s was drawn at random."),
        "pass": _("Nobody from %(team)s voted, so they made no move."),
        "forfeit": _("Nobody from %(team)s voted, so they lost the match."),
        "resign": ngettext(
            "%(resigning)s of %(voters)s voter from %(team)s chose to resign.",
            "%(resigning)s of %(voters)s voters from %(team)s chose to resign.",
            vote.ballots,
        ),
    }
    explanation = explanations.get(vote.decided_by or "")
    if not explanation and vote.decided_by in METHOD_REPORTS:
        explanation = _(METHOD_REPORTS[vote.decided_by])
    if explanation:
        yield explanation % {
            "team": name,
            "pick": _action_phrase(report, vote.pick) if vote.pick else "",
            "resigning": format_count(vote.resigning),
            "voters": format_count(vote.ballots),
        }
    if len(rounds) > 1:
        for number, counts in enumerate(rounds, 1):
            values = {"round": number, "team": name, "votes": describe_counts(report, counts)}
            yield _("%(team)s, round %(round)s: %(votes)s.") % values
    if wants_draw(vote.draw_votes, vote.ballots):
        yield _describe_draw_votes(name, vote)


def describe_counts(report: MatchReport, counts: Sequence[int]) -> str:
    """Return the votes of each choice: "3 for 1 and 2 for 4"."""
    return join_list(
        [
            # Translators: votes for a choice, as in “3 for 7”
            ngettext("%(votes)s for %(choice)s", "%(votes)s for %(choice)s", count)
            % {"votes": format_count(count), "choice": describe_action(report, action)}
            for action, count in enumerate(counts, 1)
            if count
        ]
    )


def _describe_conflict(report: MatchReport, turn: TurnReport) -> str:
    first, second = turn.resolution.drops
    if second.row is None:
        text = _("%(holder)s held the token and dropped first; there was no space left for %(other)s.")
    else:
        text = _("%(holder)s held the token and dropped first; %(other)s landed on top.")
    return text % {"holder": report.teams[first.side], "other": report.teams[second.side]}


def format_count(count: int) -> str:
    """Return a number with the language's separators of thousands."""
    return number_format(count, force_grouping=True)


def format_percent(per_cent: float | None) -> str:
    """Return a rounded percentage. Empty for None."""
    return "" if per_cent is None else _("%(number)s%%") % {"number": round(per_cent)}
