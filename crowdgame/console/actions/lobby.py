"""Organizer actions on the lobby: open it, lock and unlock joining."""

from crowdgame.console.actions.registry import ActionResult, action, undone_by
from games.matches import MatchError, event_lock
from games.models import Event, Lobby
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox

KEYS = {"L": "Lock or unlock joining"}


@action("lobby.open", permission="run", target="event", label="Open the lobby", done="The lobby is open.")
def open_lobby(event_id: int, box: BallotBox) -> ActionResult:
    """Open the lobby: people may join."""
    if Event.objects.filter(pk=event_id, lobby=Lobby.LOCKED).exists():
        return unlock_joining(event_id, box)
    _set_lobby(event_id, Lobby.OPEN, protocol.LobbyOpened, box)
    return ActionResult("opened the lobby")


@action(
    "joining.lock",
    permission="run",
    target="event",
    label="Lock joining",
    done="Joining is locked.",
    keys=KEYS,
)
@undone_by("joining.unlock", lambda _, now: now.event.lobby == "locked")
def lock_joining(event_id: int, box: BallotBox) -> ActionResult:
    """Admit no new voters. Voters who have a seat keep it."""
    _set_lobby(event_id, Lobby.LOCKED, protocol.JoiningLocked, box)
    return ActionResult("locked joining")


@action(
    "joining.unlock",
    permission="run",
    target="event",
    label="Unlock joining",
    done="Joining is open again.",
    keys=KEYS,
)
@undone_by("joining.lock", lambda _, now: now.event.lobby == "open")
def unlock_joining(event_id: int, box: BallotBox) -> ActionResult:
    """Admit new voters again."""
    _set_lobby(event_id, Lobby.OPEN, protocol.JoiningUnlocked, box)
    return ActionResult("unlocked joining")


def _set_lobby(event_id: int, lobby: Lobby, kind: type[protocol.Change], box: BallotBox) -> None:
    now = box.now()
    with event_lock(event_id):
        changed = Event.objects.filter(pk=event_id).exclude(lobby=lobby).update(lobby=lobby)
        if not changed:
            raise MatchError("Already done.")
        announce(event_id, kind, now)
    relay(event_id)
