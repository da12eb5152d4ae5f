from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from crowdgame.accounts.models import Guest
from crowdgame.events.models import EventLogo, Member
from crowdgame.events.organizations import create_organization
from crowdgame.organizer.cups.models import Cup, CupPairing, CupTeam
from crowdgame.play.chat.models import ChatBlock, ChatLine, ChatReport, ChatRoom, Mark, Suggestion
from crowdgame.play.duels.models import ConditionalPicks, Duel
from crowdgame.play.notifications import models as notifications
from crowdgame.play.ratings.models import Rating
from voting import models
from voting.events import create_event

pytestmark = pytest.mark.django_db
Rows = dict[type[Model], Any]
Wrong = Callable[[type[Model], Rows], object]
TERMS = ("event", "match", "cup")


@pytest.fixture
def rows() -> Rows:
    event = create_event(User.objects.create(username="olga"), "An evening", ("Rooks", "Doves"))
    red, yellow = event.teams.order_by("number")
    match = models.Match.objects.create(event=event, number=1, red=red, yellow=yellow, started_at=1)
    turn = models.Turn.objects.create(match=match, number=1, opens_at=1_000, closes_at=2_000, seed="ab")
    models.Offer.objects.create(turn=turn, side="red", kind="draw")
    ConditionalPicks.objects.create(turn=turn, side="red", sealed="x")
    models.StoredBallot.objects.create(turn=turn, voter="v", side="red", choice=1, sequence=1, stored_at=1)
    models.TallyRecord.objects.create(
        turn=turn, side="red", counts=[], ballots=0, decided_by="random", sealed=b""
    )
    models.StoredSideChange.objects.create(match=match, voter="v", number=1, turn=2, side="red", blind="")
    models.Announcement.objects.create(event=event, seq=1, body=b"{}")
    models.Ticket.objects.create(event=event, code="BCDFGHJK", voter="v")
    Member.objects.create(event=event, user=event.owner, role="viewer")
    EventLogo.objects.create(event=event, key="k", content=b"")
    create_organization("School", event.owner)
    models.LogTileHash.objects.create(level=1, index=0, hash=bytes(32))
    models.StoredRestriction.objects.create(event=event, voter_code="BCDFGH", at=1)
    models.Nickname.objects.create(event=event, voter_code="BCDFGH", name="Tern", allowed=True, chosen_at=1)
    cup = Cup.objects.create(code="BCDFG", name="Spring", owner=event.owner)
    CupTeam.objects.create(cup=cup, seed=1, name="4a")
    CupPairing.objects.create(cup=cup, number=1, red=1, yellow=2)
    guest = Guest.objects.create(number=12_657)
    duel = Duel.objects.create(event=event, one=guest)
    Rating.objects.create(guest=guest, game="trails", mu=1200, sigma=250, games=1, last_at=1)
    address = notifications.EmailAddress.objects.create(guest=guest, email="who@example.org")
    notifications.EmailNotification.objects.create(address=address, turn=turn, due_at=timezone.now())
    device = notifications.PushSubscription.objects.create(guest=guest, endpoint="https://push.example/a")
    notifications.PushNotification.objects.create(address=device, turn=turn, due_at=timezone.now())
    room = ChatRoom.objects.create(duel=duel, kind="players")
    line = ChatLine.objects.create(room=room, guest=guest, name="G", text="hi", at=timezone.now(), seq=1)
    ChatReport.objects.create(line=line, by=guest, reason="rude")
    ChatBlock.objects.create(guest=guest, blocked=guest)
    team_room = ChatRoom.objects.create(event=match.event, team=1, kind="team")
    idea = Suggestion.objects.create(room=team_room, turn=turn, voter_code="BCDFGH", at=timezone.now())
    Mark.objects.create(suggestion=idea, voter_code="BCDFGH", kind="agree")
    every_row = (row for model in apps.get_models() for row in model._default_manager.order_by("-pk"))
    return {type(row): row for row in every_row}


def change(**fields: Any) -> Wrong:
    """Change the row to these fields, or to what a function of all rows returns for them."""

    def wrong(model: type[Model], rows: Rows) -> None:
        values = {name: value(rows) if callable(value) else value for name, value in fields.items()}
        model._default_manager.filter(pk=rows[model].pk).update(**values)

    return wrong


def each(**fields: Sequence[Any]) -> list[Wrong]:
    return [change(**{name: value}) for name, values in fields.items() for value in values]


def copy(**fields: Any) -> Wrong:
    def wrong(model: type[Model], rows: Rows) -> None:
        row = model._default_manager.get(pk=rows[model].pk)
        row.pk = None
        row._state.adding = True
        for name, value in fields.items():
            setattr(row, name, value)
        row.save(force_insert=True)

    return wrong


def change_and_copy(**fields: Any) -> Wrong:
    def wrong(model: type[Model], rows: Rows) -> None:
        change(**fields)(model, rows)
        copy()(model, rows)

    return wrong


#: Violated by a second row with the same values.
TWICE = """
    rating_once member_once organization_member_once log_tile_hash_once team_number_once
    conditional_picks_once_a_side offer_once_a_turn stored_ballot_one_a_voter side_change_number_once
    tally_one_a_side announcement_seq_once restriction_once_per_voter_code notification_once_a_turn
    push_notification_once_a_turn chat_room_once suggestion_marked_once chat_line_seq_once chat_block_once
    chat_report_once logo_once cupteam_seed_once cuppairing_number_once
"""
WRONG: dict[str, list[Wrong]] = {
    **{name: [copy()] for name in TWICE.split()},
    **{
        f"{name}_side_known": [change(side="blue")]
        for name in ("conditional_picks", "stored_ballot", "side_change", "tally")
    },
    **{f"{name}_role_known": [change(role="guest")] for name in ("organization", "member")},
    **{f"{name}_nicknames_known": [change(nicknames="rude")] for name in ("event", "cup")},
    **{f"{name}_best_of_in_range": each(best_of=(0, 22)) for name in ("event", "cup")},
    **{
        f"{name}_of_guest_or_voter": [
            *each(guest=[None], team=[1]),
            change(event=lambda rows: rows[models.Event]),
        ]
        for name in ("email_address", "push_subscription")
    },
    **{
        f"{name}_{constraint}": wrong
        for name in TERMS
        for constraint, wrong in {
            "window_in_range": each(window_s=(2, 2_592_001)),
            "pace_known": each(pace=("slow", "")),
            "talk_in_range": [change(talk_s=86_401)],
            "resign_share_known": each(resign=("a_few", "")),
            "tie_rule_known": [change(tie_rule="oldest")],
            "no_ballot_rule_known": [change(no_ballot_rule="guess")],
            "bank_in_range": each(bank_s=(2, 2_592_001)),
            "increment_in_range": [change(increment_s=86_401)],
            "max_side_changes_in_range": [change(max_side_changes=10)],
            "shards_in_range": each(shards=(0, 17)),
            "study_with_consent": [change(in_study=True)],
            "host_wait_in_range": [
                change(host_wait_s=2),
                change(host_wait_s=181),
                change(host_wait_s=60, bank_s=60),
            ],
            "cap_of_a_bank": [change(cap_s=5), change(bank_s=60, cap_s=2)],
        }.items()
    },
    "duel_rematch_wanted_by_1_or_2": each(rematch_wanted_by=(0, 3)),
    "duel_of_two": [change(two=lambda rows: rows[Duel].one)],
    "duel_of_one_and_a_crowd": [change(two=lambda rows: Guest.objects.create(number=1), crowd=True)],
    "duel_has_a_player": [change(one=None)],
    "event_lobby_known": [change(lobby="ajar")],
    "event_team_choice_known": [change(team_choice="captain")],
    "event_admission_known": [change(admission="by face")],
    "event_analysis_known": [change(analysis="once")],
    "event_seq_not_negative": [change(seq=-1)],
    "team_number_1_or_2": each(number=(3, 0)),
    "team_chat_once_an_event": [lambda _, rows: rows[models.Event].teams.update(source="twitch:rooks")],
    "match_number_once": [copy(state="aborted", ended_at=2)],
    "match_one_playing_an_event": [copy(number=2)],
    "match_two_teams": [change(yellow=lambda rows: rows[models.Match].red)],
    "match_result_when_ended": [
        change(state="ended", ended_at=2),
        change(state="ended", ended_at=2, result="red"),
        change(state="ended", ended_at=2, ended_by="board"),
        change(state="ended", ended_at=2, result="blue", ended_by="board"),
        change(state="ended", ended_at=2, result="red", ended_by="boredom"),
        change(result="red", ended_by="board"),
        change(state="aborted", ended_at=2, result="red"),
    ],
    "match_ended_at_when_over": [
        change(ended_at=2),
        change(state="aborted"),
        change(state="delayed", ended_at=2),
    ],
    "offer_known": [change(side="blue"), change(kind="bribe")],
    "turn_number_once": [copy(state="resolved", resolved_at=3)],
    "turn_one_live_a_match": [copy(number=2), copy(number=2, state="paused", left_ms=0)],
    "turn_state_known": [change(state="stuck")],
    "turn_closes_after_opening": [change(closes_at=999)],
    "turn_void_reason_when_void": [
        change(voided_at=1, void_reason="stopped"),
        change(state="void", voided_at=1),
        change(state="void", void_reason="stopped"),
        change(state="void", voided_at=1, void_reason="boredom"),
    ],
    "turn_time_left_when_paused": [
        change(state="paused"),
        change(state="paused", left_ms=-1),
        change(left_ms=1),
    ],
    "turn_no_pick_while_live": [
        change(red_pick=1),
        change(yellow_pick=1),
        change(resolved_at=1),
        change(state="paused", left_ms=1, red_pick=1),
    ],
    "turn_resolved_at_when_resolved": [change(state="resolved")],
    "turn_concealed_untold": [change(state="hidden"), change(state="hidden", sealed_at=1, resolved_at=1)],
    "ticket_code_once": [copy(voter="w")],
    "ticket_voter_once": [copy(code="LMNPQRST")],
    "ticket_team_1_or_2": [change(team=3)],
    "restriction_team_1_or_2": [change(team=3)],
    "nickname_once_per_voter_code": [copy(skeleton="x")],
    "nickname_skeleton_once": [copy(voter_code="LMNPQR")],
    "guest_account_complete": [change(name="x")],
    "email_address_one_a_voter": [
        change_and_copy(guest=None, event=lambda rows: rows[models.Event], voter="v", team=1)
    ],
    "chat_room_one_lobby": [change_and_copy(kind="lobby", duel=None)],
    "chat_room_once_a_team": [
        change_and_copy(kind="team", duel=None, event=lambda rows: rows[models.Event], team=2)
    ],
    "chat_room_of_lobby_or_duel_or_team": [
        change(kind="lobby"),
        change(team=1),
        change(event=lambda rows: rows[models.Event]),
        change(kind="team", duel=None, event=lambda rows: rows[models.Event], team=3),
    ],
    "chat_report_once_by_nobody": [change_and_copy(by=None)],
    "cup_format_known": [change(format="ladder")],
    "cupteam_seed_in_range": each(seed=(0, 33)),
    "cuppairing_two_teams": [change(yellow=1)],
    "cuppairing_walkover_1_or_2": [change(walkover=3)],
}
MODELS = {
    constraint.name: model
    for model in apps.get_models()
    if model.__module__.startswith(("games.", "voting.", "crowdgame."))
    for constraint in model._meta.constraints
}
CASES = [pytest.param(name, wrong, id=f"{name}-{n}") for name in WRONG for n, wrong in enumerate(WRONG[name])]


def test_constraints_are_all_covered() -> None:
    assert WRONG.keys() == MODELS.keys()


@pytest.mark.parametrize(("name", "wrong"), CASES)
def test_constraint_rejects_invalid_row(name: str, wrong: Wrong, rows: Rows) -> None:
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        wrong(MODELS[name], rows)
    text = str(refusal.value)
    assert name in text or "UNIQUE constraint failed" in text


def test_constraints_accept_valid_rows(rows: Rows) -> None:
    """A void turn frees its number for the repeated turn; an ended match makes room for the next."""
    change(state="void", red_pick=1, resolved_at=1)(models.Turn, rows)
    copy(state="resolved", resolved_at=3, red_pick=None, yellow_pick=None)(models.Turn, rows)
    copy(number=2, state="open", red_pick=None, resolved_at=None)(models.Turn, rows)
    change(state="ended", result="draw", ended_by="forfeit", ended_at=2)(models.Match, rows)
    copy(number=2, state="playing", result=None, ended_by=None, ended_at=None)(models.Match, rows)
    assert (models.Turn.objects.count(), models.Match.objects.count()) == (3, 2)
