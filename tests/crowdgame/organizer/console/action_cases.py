"""Every organizer action with its texts, and the steps before it."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from crowdgame.events.permissions import OrganizerAccess
from crowdgame.organizer.console.actions.registry import CurrentState
from crowdgame.organizer.console.actions.turn_time import MAX_EXTRA_S
from crowdgame.organizer.console.audit_log import list_audit_entries
from crowdgame.organizer.console.control import perform
from tests.voting.match_helpers import RED_WINS, only_turn, open_now, play, run_out
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import NOTICE_LENGTH, Event, Nickname
from voting.protocol import MAX_HANDS, ActionAsk, ActionUndo, AuditEntry, Role

# An action, with its fields if it has any. `open` and `run_out` move the window; `play` plays whole turns.
Step = str | tuple[str, dict[str, Any]]
STARTED: tuple[Step, ...] = ("lobby.open", "match.start")
PLAYING: tuple[Step, ...] = (*STARTED, "open")
SEALED: tuple[Step, ...] = (("change", {"host_wait_s": 60}), *PLAYING, "turn.close")
OPENING: tuple[Step, ...] = (*SEALED, "reveal.start", "end_reveal")
REVEALED: tuple[Step, ...] = (*PLAYING, "turn.close")
REVEAL, LONG = "the reveal of turn 1 by", {"seconds": 90}
ADDED_EXTRA_TIME = "added 30 seconds to every turn"
REMOVED_EXTRA_TIME = "removed the extra time per turn"
EXTRA_TIME: Step = ("turn.extra_time", {"seconds": 30})
EXTENDED: tuple[Step, ...] = (*REVEALED, ("reveal.extend", LONG))
CODE, HINTS, SOUND, TALLY, TURNOUT = (
    {"part": name} for name in ("code", "hints", "sound", "tally", "turnout")
)
VOTER, OTHER = {"voter_code": "BCDFGH"}, {"voter_code": "BCDFGJ"}
MOVE = CAPTAIN = {**VOTER, "team": 1}
DOVE = {**VOTER, "team": 2}
SELF_SUCCEEDED = {**DOVE, "successor": "BCDFGH"}
MADE_CAPTAIN, MADE_DOVE = "made BCDFGH captain of Rooks", "made BCDFGH captain of Doves"
MOVED: Step = ("voter.move", MOVE)
APPOINTED: Step = ("voter.captain", CAPTAIN)
OTHER_APPOINTED: Step = ("voter.captain", {**OTHER, "team": 1})
NAMED: tuple[Step, ...] = ("choose_nickname",)
NAME_REMOVED: tuple[Step, ...] = (*NAMED, ("voter.remove_nickname", VOTER))
REMOVED_NAME, RESTORED_NAME = "removed the nickname of BCDFGH", "restored the nickname of BCDFGH"
TURNED_ON, TURNED_OFF = "turned on the team discussion", "turned off the team discussion"
WROTE_A: Step = ("notice.show", {"text": "a"})
TIMED: Step = ("notice.show", {"text": "a", "seconds": 30})
UNTIDY: Step = ("notice.show", {"text": "  Lunch\n\tis \u202eready\u200b\u2066 "})
SHOWN: Step = ("part.show", CODE)
HIDDEN: tuple[Step, ...] = (("part.hide", CODE), ("part.hide", TALLY))


class Case(NamedTuple):
    """An action with its audit text after the name, and that of its undo."""

    action: str
    fields: dict[str, Any]
    what: str
    undone: str = ""
    before: tuple[Step, ...] = PLAYING


CASES = [
    Case("lobby.open", {}, "opened the lobby", before=()),
    Case("joining.lock", {}, "locked joining", "unlocked joining"),
    Case("joining.unlock", {}, "unlocked joining", "locked joining", ("joining.lock",)),
    Case("match.start", {}, "started match 1", "aborted match 1", ()),
    Case("match.abort", {}, "aborted match 1"),
    Case("turn.pause", {}, "paused turn 1", "resumed turn 1"),
    Case("turn.resume", {}, "resumed turn 1", "paused turn 1", (*PLAYING, "turn.pause")),
    Case("turn.extend", {}, "added 10 seconds", "removed 10 seconds"),
    Case("turn.extend", {"seconds": 86400}, "added 1 day", "removed 1 day"),
    Case("turn.shorten", {"seconds": 90}, "removed 90 seconds", "added 90 seconds"),
    Case("turn.close", {}, "closed turn 1", "took back turn 1"),
    Case("turn.void", {}, "took back turn 1", before=REVEALED),
    Case("reveal.start", {}, "started the reveal of turn 1", "took back turn 1", SEALED),
    Case("turn.open", {}, "opened turn 2", before=OPENING),
    Case("reveal.extend", LONG, f"extended {REVEAL} 90 seconds", f"shortened {REVEAL} 90 seconds", REVEALED),
    Case("reveal.shorten", {}, f"shortened {REVEAL} 10 seconds", f"extended {REVEAL} 10 seconds", EXTENDED),
    Case("turn.extra_time", {"seconds": 30}, ADDED_EXTRA_TIME, REMOVED_EXTRA_TIME),
    Case("turn.extra_time", {}, REMOVED_EXTRA_TIME, ADDED_EXTRA_TIME, (EXTRA_TIME,)),
    Case("hands.count", {"team": 2, "hands": (0, 1200)}, "counted the hands of Doves in turn 1: 1,200"),
    Case("notice.show", {"text": " a "}, "wrote: a", "cleared the message"),
    Case("notice.show", {"text": "b"}, "wrote: b", "wrote: a", (WROTE_A,)),
    Case("notice.clear", {}, "cleared the message", "wrote: a", (WROTE_A,)),
    Case("part.hide", TALLY, "hid the votes", "showed the votes"),
    Case("part.show", CODE, "showed the join code", "hid the join code", (("part.hide", CODE),)),
    *[
        Case(name, SOUND, f"turned the sound {to}")
        for name, to in (("part.hide", "off"), ("part.show", "on"))
    ],
    Case("part.hide", SOUND, "turned the sound off", "turned the sound on", (("part.show", SOUND),)),
    Case("display.renew", {}, "replaced the display link"),
    Case("discussion.start", {}, TURNED_ON, TURNED_OFF),
    Case("discussion.stop", {}, TURNED_OFF, TURNED_ON, ("discussion.start",)),
    Case("music.start", {}, "turned on the lobby music", "turned off the lobby music"),
    Case("music.stop", {}, "turned off the lobby music", "turned on the lobby music", ("music.start",)),
    Case("voter.mute", VOTER, "muted BCDFGH", "unmuted BCDFGH"),
    Case("voter.unmute", VOTER, "unmuted BCDFGH", "muted BCDFGH", (("voter.mute", VOTER),)),
    Case("voter.move", MOVE, "moved BCDFGH to Rooks", "moved BCDFGH back"),
    Case("voter.move", VOTER, "moved BCDFGH back", "moved BCDFGH to Rooks", (MOVED,)),
    Case("voter.kick", VOTER, "removed BCDFGH", "let BCDFGH back in"),
    Case("voter.readmit", VOTER, "let BCDFGH back in", before=(("voter.kick", VOTER),)),
    Case("voter.ban", VOTER, "banned BCDFGH", "unbanned BCDFGH"),
    Case("voter.ban", VOTER, "banned BCDFGH", "unbanned BCDFGH", (MOVED,)),
    Case("voter.admit", VOTER, "unbanned BCDFGH", "banned BCDFGH", (("voter.ban", VOTER),)),
    Case("voter.allow_nickname", {**VOTER, "text": "Ann"}, "allowed the nickname of BCDFGH", before=NAMED),
    Case("voter.remove_nickname", VOTER, REMOVED_NAME, RESTORED_NAME, NAMED),
    Case("voter.restore_nickname", VOTER, RESTORED_NAME, REMOVED_NAME, NAME_REMOVED),
    Case("voter.captain", CAPTAIN, MADE_CAPTAIN, "removed BCDFGH as captain of Rooks"),
    Case("voter.captain", VOTER, "removed BCDFGH as captain of Rooks", MADE_CAPTAIN, (APPOINTED,)),
    Case("voter.captain", CAPTAIN, MADE_CAPTAIN, "made BCDFGJ captain of Rooks", (OTHER_APPOINTED,)),
    Case("voter.captain", DOVE, MADE_DOVE, MADE_CAPTAIN, (APPOINTED,)),
    Case("voter.captain", CAPTAIN, MADE_CAPTAIN, MADE_DOVE, (("voter.captain", DOVE), OTHER_APPOINTED)),
]


# An action, and later ones after which it can't be undone.
LOST_EFFECTS: list[tuple[Step, tuple[Step, ...]]] = [
    ("joining.lock", ("joining.unlock",)),
    ("match.start", ("match.abort", "match.start")),
    ("turn.pause", ("turn.resume", "turn.pause")),
    ("turn.extend", ("turn.close",)),
    ("turn.close", ("open", "turn.close")),
    ("turn.close", ("match.abort",)),
    ("turn.close", (("change", {"ends_at": 1}),)),
    (EXTRA_TIME, ("turn.extra_time",)),
    (WROTE_A, (("notice.show", {"text": "b"}),)),
    (WROTE_A, ("notice.clear", WROTE_A)),
    (("part.hide", CODE), (("part.show", CODE),)),
    (("voter.ban", VOTER), (("voter.admit", VOTER),)),
    (("voter.kick", VOTER), (("voter.readmit", VOTER),)),
    (APPOINTED, (OTHER_APPOINTED,)),
    ("reveal.extend", ("open",)),
    ("reveal.extend", ("turn.pause",)),
    ("reveal.extend", ("match.abort",)),
]
# Steps, the action that is then refused, and words of the refusal.
IMPOSSIBLE: list[tuple[tuple[Step, ...], Step, str]] = [
    (("lobby.open",), "lobby.open", "Already done"),
    (("joining.lock",), "joining.lock", "Already done"),
    (("lobby.open",), "joining.unlock", "Already done"),
    (STARTED, "match.start", "already live"),
    ((), "match.abort", "No match is live"),
    *[((), f"turn.{action}", "No turn is live") for action in ("pause", "resume", "extend", "close")],
    *[((*STARTED, "run_out"), f"turn.{name}", "Time is up") for name in ("pause", "shorten", "close")],
    (STARTED, "turn.close", "has not started"),
    (STARTED, ("turn.pause", {"turn": 9_999}), "already ended"),
    (STARTED, "turn.resume", "not paused"),
    ((*STARTED, "turn.pause"), "turn.pause", "already paused"),
    (STARTED, ("turn.shorten", {"seconds": 18}), "Less than 3 seconds"),
    ((*STARTED, "turn.pause", "turn.shorten"), ("turn.shorten", {"seconds": 8}), "Less than 3"),
    ((), "turn.void", "no turn to take back"),
    ((*STARTED, ("play", {"picks": RED_WINS}), "match.start"), "turn.void", "no turn to take back"),
    ((*STARTED, ("play", {"picks": [(1, 2)]}), "match.abort"), "turn.void", "no turn to take back"),
    (PLAYING, "reveal.start", "no reveal to start"),
    (SEALED, ("turn.extend", {"seconds": 90}), "Time is up"),
    (SEALED, "turn.open", "No reveal is being shown"),
    ((*SEALED, "reveal.start"), "turn.open", "The reveal is not over yet"),
    *[((*OPENING, "turn.open"), name, "next turn is opening") for name in ("turn.open", "reveal.shorten")],
    (STARTED, "reveal.extend", "No reveal is being shown"),
    ((*REVEALED, "open"), "reveal.shorten", "No reveal is being shown"),
    ((), "turn.extra_time", "Already done"),
    ((), ("turn.extra_time", {"seconds": MAX_EXTRA_S + 1}), "at most 10 minutes per turn"),
    (PLAYING, "hands.count", "Choose a team"),
    (PLAYING, ("hands.count", {"team": 2}), "Choose a team"),
    (PLAYING, ("hands.count", {"hands": (1,)}), "Choose a team"),
    (PLAYING, ("hands.count", {"team": 1, "hands": (1,)}), "Rooks does not vote by a show of hands"),
    (PLAYING, ("hands.count", {"team": 2, "hands": (MAX_HANDS, 1)}), "At most 5,000"),
    (PLAYING, ("hands.count", {"team": 2, "hands": (1,), "turn": 9_999}), "already ended"),
    (STARTED, ("hands.count", {"team": 2, "hands": (1,)}), "has not started"),
    ((*STARTED, "run_out"), ("hands.count", {"team": 2, "hands": (1,)}), "Time is up"),
    ((*PLAYING, "turn.pause"), ("hands.count", {"team": 2, "hands": (1,)}), "paused"),
    *[((), ("notice.show", {"text": text}), "nothing to show") for text in (None, " \n", "\u200b\u202e")],
    ((), ("notice.show", {"text": "x" * (NOTICE_LENGTH + 1)}), "140 characters"),
    ((), ("notice.show", {"text": "\u0958" * NOTICE_LENGTH}), "140 characters"),  # grows when normalized
    ((WROTE_A,), WROTE_A, "Already done"),
    ((), "notice.clear", "No message is shown"),
    ((), "part.hide", "Choose a part"),
    ((), "part.show", "Choose a part"),
    ((("part.hide", TURNOUT),), ("part.hide", TURNOUT), "Already done"),
    ((("part.hide", TURNOUT),), ("part.show", CODE), "Already done"),
    ((("change", {"in_study": True, "consent": "A study."}),), ("part.show", HINTS), "It stays hidden"),
    *[((), ("voter.ban", {"voter_code": code}), "six letters") for code in (None, "", "ANNA", "BCDFGHJ")],
    ((), ("voter.move", VOTER), "Already done"),
    ((), ("voter.admit", VOTER), "Already done"),
    ((), ("voter.move", {**VOTER, "team": 2}), "votes without phones"),
    ((APPOINTED,), APPOINTED, "Already done"),
    ((), ("voter.captain", VOTER), "Already done"),
    ((), ("voter.captain", {"voter_code": "nonsense", "team": 1}), "Enter the voter code"),
]
# Steps, what they change in the state of the event, and the last announcement.
EFFECTS: list[tuple[tuple[Step, ...], dict[str, Any], str]] = [
    (("lobby.open",), {"lobby": "open"}, "lobby.opened"),
    (("lobby.open", "joining.lock"), {"lobby": "locked"}, "joining.locked"),
    (("lobby.open", "joining.lock", "joining.unlock"), {"lobby": "open"}, "joining.unlocked"),
    (("lobby.open", "joining.lock", "lobby.open"), {"lobby": "open"}, "joining.unlocked"),
    ((WROTE_A, ("notice.show", {"text": "b"})), {"notice": "b"}, "event.edited"),
    ((TIMED, "notice.clear"), {"notice": "", "notice_until": None}, "event.edited"),
    ((("notice.show", {"text": "x" * NOTICE_LENGTH}),), {"notice": "x" * NOTICE_LENGTH}, "event.edited"),
    ((UNTIDY,), {"notice": "Lunch is ready"}, "event.edited"),
    (HIDDEN, {"hidden": ("code", "tally")}, "event.edited"),
    ((*HIDDEN, SHOWN, ("part.hide", TURNOUT)), {"hidden": ("turnout", "tally")}, "event.edited"),
    ((("part.hide", SOUND),), {"hidden": ("sound",), "sound_on": False}, "event.edited"),
    ((("part.hide", SOUND), ("part.show", SOUND)), {"hidden": (), "sound_on": True}, "event.edited"),
    (("display.renew", "display.renew"), {"display_key_version": 2}, "event.edited"),
    ((APPOINTED,), {"captains": ["BCDFGH", ""]}, "event.edited"),
    ((APPOINTED, ("voter.captain", DOVE)), {"captains": ["", "BCDFGH"]}, "event.edited"),
    ((APPOINTED, ("voter.captain", SELF_SUCCEEDED)), {"captains": ["", "BCDFGH"]}, "event.edited"),
    ((APPOINTED, ("voter.captain", VOTER)), {"captains": ["", ""]}, "event.edited"),
]


def request(
    event: Event, message: ActionAsk | ActionUndo, box: BallotBox, role: Role = Role.OWNER
) -> AuditEntry:
    perform(OrganizerAccess("olga", role, event.owner_id), event.pk, message, box)
    return entries(event, box)[0]


def take(event: Event, step: Step, box: BallotBox) -> None:
    action, fields = (step, {}) if isinstance(step, str) else step
    if "." in action:
        request(event, ActionAsk(id=1, action=action, **fields), box)
    elif action == "change":
        Event.objects.filter(pk=event.pk).update(**fields)
    elif action == "choose_nickname":
        choice = {"voter_code": "BCDFGH", "name": "Ann", "skeleton": "a", "allowed": False, "chosen_at": 1}
        Nickname.objects.create(event=event, **choice)
    elif action == "end_reveal":
        event.matches.get().turns.filter(state="resolved").update(resolved_at=box.now() - 60_000)
    elif action == "play":
        play(event.matches.get(), box, **fields)
    else:
        {"open": open_now, "run_out": run_out}[action](only_turn(event.matches.get(state="playing")), box)


def take_all(event: Event, steps: Iterable[Step], box: BallotBox) -> tuple[AuditEntry, ...]:
    for step in steps:
        take(event, step, box)
    return entries(event, box)


def entries(event: Event, box: BallotBox) -> tuple[AuditEntry, ...]:
    event.refresh_from_db()
    now = CurrentState(load_snapshot(event), box.now(), rehearsing=False)
    return list_audit_entries(event.pk, now, "en")
