"""Organizer actions on the lobby: open it, lock and unlock joining, start and stop the music."""

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.notices import ALREADY_DONE, update_event
from crowdgame.organizer.console.actions.registry import ActionResult, action, undone_by
from voting import protocol
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Event
from voting.terms import Lobby

KEYS = {"L": "Lock or unlock joining"}


@action("lobby.open", target="event", label="Open the lobby", done="The lobby is open.")
def open_lobby(event_id: int, box: BallotBox) -> ActionResult:
    """Open the lobby: people may join."""
    if Event.objects.filter(pk=event_id, lobby=Lobby.LOCKED).exists():
        return unlock_joining(event_id, box)
    update_event(event_id, ALREADY_DONE, box, protocol.LobbyOpened, lobby=Lobby.OPEN)
    return ActionResult(LogText(gettext_noop("%(by)s opened the lobby")))


@action("joining.lock", target="event", label="Lock joining", done="Joining is locked.", keys=KEYS)
@undone_by("joining.unlock", lambda _, now: now.event.lobby == "locked")
def lock_joining(event_id: int, box: BallotBox) -> ActionResult:
    """Admit no new voters. Voters who have a seat keep it."""
    update_event(event_id, ALREADY_DONE, box, protocol.JoiningLocked, lobby=Lobby.LOCKED)
    return ActionResult(LogText(gettext_noop("%(by)s locked joining")))


@action("joining.unlock", target="event", label="Unlock joining", done="Joining is open again.", keys=KEYS)
@undone_by("joining.lock", lambda _, now: now.event.lobby == "open")
def unlock_joining(event_id: int, box: BallotBox) -> ActionResult:
    """Admit new voters again."""
    update_event(event_id, ALREADY_DONE, box, protocol.JoiningUnlocked, lobby=Lobby.OPEN)
    return ActionResult(LogText(gettext_noop("%(by)s unlocked joining")))


@action("music.start", target="event", label="Lobby music", done="Screens with sound play music.")
@undone_by("music.stop", lambda _pressed, now: bool(now.event.lobby_music))
def start_music(event_id: int, box: BallotBox) -> ActionResult:
    """Play the music of the installation on displays with sound, until a match starts."""
    if not settings.LOBBY_MUSIC:
        raise MatchError(_("This server has no music."))
    update_event(event_id, ALREADY_DONE, box, lobby_music=True)
    return ActionResult(LogText(gettext_noop("%(by)s turned on the lobby music")))


@action("music.stop", target="event", label="Lobby music", done="The lobby music is off.")
@undone_by("music.start", lambda _pressed, now: not now.event.lobby_music)
def stop_music(event_id: int, box: BallotBox) -> ActionResult:
    """Stop the music in the lobby."""
    update_event(event_id, ALREADY_DONE, box, lobby_music=False)
    return ActionResult(LogText(gettext_noop("%(by)s turned off the lobby music")))
