"""Sample matches in which more happened than counts: lost boxes, void seals and turns, side changes."""

from collections.abc import Callable

from django.db import connection

from crowdgame.maintenance.backups import fresh_start_sql
from crowdgame.maintenance.database_copies import database_copies
from tests.voting import match_helpers as helpers
from tests.voting.action_helpers import press
from tests.voting.box_helpers import empty
from tests.voting.recovery_model import close_and_then
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match
from voting.models.event import new_seed
from voting.turns.restoring import restore_turn
from voting.turns.turns import load_turn


def play_eventful_match(box: BallotBox) -> Match:
    """A match with a void turn, a replaced seal, a lost box and an end."""
    turn = helpers.start_open(box)
    helpers.run_out(turn, box)
    close_and_then(turn, lambda: helpers.open_now(load_turn(turn.pk), box))
    empty()
    restore_turn(turn.pk, box)
    helpers.play_turn(load_turn(turn.pk), box, [1], [2])
    helpers.play(turn.match, box, helpers.RED_WINS[1:2])
    press(turn.match.event_id, "turn.void", box)
    helpers.play(turn.match, box, helpers.RED_WINS[1:])
    return Match.objects.get(pk=turn.match_id)


def play_aborted_match(box: BallotBox) -> Match:
    turn = helpers.start(box, game=helpers.SELECTOR)
    helpers.play_turn(turn, box, red=[3], yellow=[4])
    press(turn.match.event_id, "match.abort", box)
    return Match.objects.get(pk=turn.match_id)


def restore_backup() -> None:
    """Change the log and the open turns as if a backup of this moment had just been restored."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            connection.connection.create_function("new_seed", 0, new_seed)
        for sql in fresh_start_sql(database_copies()):
            if sql.startswith(("UPDATE games_turn", "UPDATE voting_loghead")):
                cursor.execute(sql)
    empty()


def play_restored_match(box: BallotBox) -> Match:
    """An unfinished match whose first turn was restored from a backup."""
    turn = helpers.start(box)
    restore_backup()
    restore_turn(turn.pk, box)
    helpers.play_turn(load_turn(turn.pk), box, red=[3], yellow=[4])
    return Match.objects.get(pk=turn.match_id)


def play_secret_match(box: BallotBox) -> Match:
    """Red's voters change sides one by one until none is left."""
    match = helpers.start_secret(box)
    for voter in ("red1", "red2"):
        helpers.play_with(helpers.only_turn(match), box, [1, 1], [2, 2, 2])
        helpers.request_side_changes(helpers.only_turn(match), box, voter)
    helpers.play_with(helpers.only_turn(match), box, [1, 1], [2, 2])
    return Match.objects.get(pk=match.pk)


SECRET = "secret sides"
HISTORIES: dict[str, Callable[[BallotBox], Match]] = {
    "eventful": play_eventful_match,
    "aborted": play_aborted_match,
    "restored": play_restored_match,
    SECRET: play_secret_match,
}
