"""Every database constraint rejects an invalid row, and no constraint is left untested."""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from crowdgame.accounts.models import Guest
from crowdgame.events.models import EventLogo, Member, OrganizationMember
from crowdgame.events.organizations import create_organization
from crowdgame.organizer.cups.models import Cup, CupPairing, CupTeam
from crowdgame.play.chat.models import ChatBlock, ChatLine, ChatReport, ChatRoom, Mark, Suggestion
from crowdgame.play.duels.models import ConditionalPicks, Duel
from crowdgame.play.notifications.models import (
    EmailAddress,
    EmailNotification,
    PushNotification,
    PushSubscription,
)
from crowdgame.play.ratings.models import Rating
from voting.events import create_event
from voting.models import (
    Announcement,
    Event,
    Match,
    Nickname,
    Offer,
    StoredBallot,
    StoredRestriction,
    StoredSideChange,
    TallyRecord,
    Team,
    Ticket,
    Turn,
)

pytestmark = pytest.mark.django_db
Rows = dict[type[Model], Any]
TERMS = ("event", "match", "cup")


@pytest.fixture
def rows() -> Rows:
    """The first valid row of each model."""
    event = create_event(User.objects.create(username="olga"), "An evening", ("Rooks", "Doves"))
    red, yellow = event.teams.order_by("number")
    match = Match.objects.create(event=event, number=1, red=red, yellow=yellow, started_at=1)
    turn = Turn.objects.create(match=match, number=1, opens_at=1_000, closes_at=2_000, seed="ab")
    Offer.objects.create(turn=turn, side="red", kind="draw")
    ConditionalPicks.objects.create(turn=turn, side="red", sealed="x")
    StoredBallot.objects.create(turn=turn, voter="v", side="red", choice=1, sequence=1, stored_at=1)
    TallyRecord.objects.create(turn=turn, side="red", counts=[], ballots=0, decided_by="random", sealed=b"")
    StoredSideChange.objects.create(match=match, voter="v", number=1, turn=2, side="red", blind="")
    Announcement.objects.create(event=event, seq=1, body=b"{}")
    Ticket.objects.create(event=event, code="BCDFGHJK", voter="v")
    Member.objects.create(event=event, user=event.owner, role="viewer")
    EventLogo.objects.create(event=event, key="k", content=b"")
    create_organization("School", event.owner)
    StoredRestriction.objects.create(event=event, voter_code="BCDFGH", at=1)
    Nickname.objects.create(event=event, voter_code="BCDFGH", name="Tern", allowed=True, chosen_at=1)
    cup = Cup.objects.create(code="BCDFG", name="Spring", owner=event.owner)
    CupTeam.objects.create(cup=cup, seed=1, name="4a")
    CupPairing.objects.create(cup=cup, number=1, red=1, yellow=2)
    guest = Guest.objects.create(number=12_657)
    duel = Duel.objects.create(event=event, one=guest)
    Rating.objects.create(guest=guest, game="trails", mu=1200, sigma=250, games=1, last_at=1)
    address = EmailAddress.objects.create(guest=guest, email="who@example.org")
    EmailNotification.objects.create(address=address, turn=turn, due_at=timezone.now())
    device = PushSubscription.objects.create(guest=guest, endpoint="https://push.example/a")
    PushNotification.objects.create(address=device, turn=turn, due_at=timezone.now())
    room = ChatRoom.objects.create(duel=duel, kind="players")
    line = ChatLine.objects.create(room=room, guest=guest, name="G", text="hi", at=timezone.now(), seq=1)
    ChatReport.objects.create(line=line, by=guest, reason="rude")
    ChatBlock.objects.create(guest=guest, blocked=guest)
    team_room = ChatRoom.objects.create(event=match.event, team=1, kind="team")
    idea = Suggestion.objects.create(
        room=team_room, turn=turn, voter_code="BCDFGH", text="hi", at=timezone.now()
    )
    Mark.objects.create(suggestion=idea, voter_code="BCDFGH", kind="agree")
    every_row = (row for model in apps.get_models() for row in model._default_manager.order_by("-pk"))
    return {type(row): row for row in every_row}


def change(model: type[Model], **fields: Any) -> Callable[[Rows], None]:
    def wrong(rows: Rows) -> None:
        model._default_manager.filter(pk=rows[model].pk).update(**fields)

    return wrong


def insert_copy(model: type[Model], **fields: Any) -> Callable[[Rows], None]:
    """Insert the row a second time, with these changes."""

    def wrong(rows: Rows) -> None:
        row = model._default_manager.get(pk=rows[model].pk)
        row.pk = None
        row._state.adding = True
        for name, value in fields.items():
            setattr(row, name, value)
        row.save(force_insert=True)

    return wrong


def two_teams_in_one_chat(rows: Rows) -> None:
    Team.objects.filter(event=rows[Team].event).update(source="twitch:rooks")


def match_of_one_team(rows: Rows) -> None:
    change(Match, yellow=rows[Match].red)(rows)


def duel_of_one_guest(rows: Rows) -> None:
    change(Duel, two=rows[Duel].one)(rows)


def crowd_duel_with_two_guests(rows: Rows) -> None:
    rows[Duel].two = Guest.objects.create(number=1)
    rows[Duel].crowd = True
    rows[Duel].save()


def two_lobbies(rows: Rows) -> None:
    for _ in range(2):
        ChatRoom.objects.create(kind="lobby")


def second_room_of_team(rows: Rows) -> None:
    ChatRoom.objects.create(event=rows[Event], team=1, kind="team")


def two_addresses_of_voter(rows: Rows) -> None:
    for email in ("one@example.org", "two@example.org"):
        EmailAddress.objects.create(event=rows[Event], voter="v", team=1, email=email)


def two_anonymous_reports(rows: Rows) -> None:
    for _ in range(2):
        ChatReport.objects.create(line=rows[ChatLine], reason="rude")


WRONG: dict[str, list[Callable[[Rows], None]]] = {
    **{
        f"{name}_{constraint}": wrong
        for name, model in zip(TERMS, (Event, Match, Cup), strict=True)
        for constraint, wrong in {
            "window_in_range": [change(model, window_s=2), change(model, window_s=2_592_001)],
            "pace_known": [change(model, pace="slow"), change(model, pace="")],
            "talk_in_range": [change(model, talk_s=86_401)],
            "resign_share_known": [change(model, resign="a_few"), change(model, resign="")],
            "tie_rule_known": [change(model, tie_rule="oldest")],
            "no_ballot_rule_known": [change(model, no_ballot_rule="guess")],
            "bank_in_range": [change(model, bank_s=2), change(model, bank_s=2_592_001)],
            "increment_in_range": [change(model, increment_s=86_401)],
            "max_side_changes_in_range": [change(model, max_side_changes=10)],
            "study_with_consent": [change(model, in_study=True)],
            "host_wait_in_range": [
                change(model, host_wait_s=2),
                change(model, host_wait_s=181),
                change(model, host_wait_s=60, bank_s=60),
            ],
            "cap_of_a_bank": [change(model, cap_s=5), change(model, bank_s=60, cap_s=2)],
        }.items()
    },
    "event_rematch_wanted_by_1_or_2": [
        change(Event, is_duel=True, rematch_wanted_by=3),
        change(Event, is_duel=False, rematch_wanted_by=1),
    ],
    "rating_once": [insert_copy(Rating)],
    "duel_of_two": [duel_of_one_guest],
    "duel_of_one_and_a_crowd": [crowd_duel_with_two_guests],
    "duel_has_a_player": [change(Duel, one=None)],
    "event_lobby_known": [change(Event, lobby="ajar")],
    "event_best_of_in_range": [change(Event, best_of=0), change(Event, best_of=22)],
    "member_once": [insert_copy(Member)],
    "organization_member_once": [insert_copy(OrganizationMember)],
    "organization_role_known": [change(OrganizationMember, role="guest")],
    "member_role_known": [change(Member, role="guest")],
    "event_team_choice_known": [change(Event, team_choice="captain")],
    "event_admission_known": [change(Event, admission="by face")],
    "event_analysis_known": [change(Event, analysis="sometimes")],
    "cup_nicknames_known": [change(Cup, nicknames="rude")],
    "event_nicknames_known": [change(Event, nicknames="rude")],
    "event_seq_not_negative": [change(Event, seq=-1)],
    "team_number_once": [insert_copy(Team)],
    "team_number_1_or_2": [change(Team, number=3), change(Team, number=0)],
    "team_chat_once_an_event": [two_teams_in_one_chat],
    "match_number_once": [insert_copy(Match, state="aborted", ended_at=2)],
    "match_one_playing_an_event": [insert_copy(Match, number=2)],
    "match_two_teams": [match_of_one_team],
    "match_result_when_ended": [
        change(Match, state="ended", ended_at=2),
        change(Match, state="ended", ended_at=2, result="red"),
        change(Match, state="ended", ended_at=2, ended_by="board"),
        change(Match, state="ended", ended_at=2, result="blue", ended_by="board"),
        change(Match, state="ended", ended_at=2, result="red", ended_by="boredom"),
        change(Match, result="red", ended_by="board"),
        change(Match, state="aborted", ended_at=2, result="red"),
    ],
    "match_ended_at_when_over": [
        change(Match, ended_at=2),
        change(Match, state="aborted"),
        change(Match, state="delayed", ended_at=2),
    ],
    "conditional_picks_once_a_side": [insert_copy(ConditionalPicks)],
    "conditional_picks_side_known": [change(ConditionalPicks, side="blue")],
    "offer_once_a_turn": [insert_copy(Offer)],
    "offer_known": [change(Offer, side="blue"), change(Offer, kind="bribe")],
    "turn_number_once": [insert_copy(Turn, state="resolved", resolved_at=3)],
    "turn_one_live_a_match": [
        insert_copy(Turn, number=2),
        insert_copy(Turn, number=2, state="paused", left_ms=0),
    ],
    "turn_state_known": [change(Turn, state="stuck")],
    "turn_closes_after_opening": [change(Turn, closes_at=999)],
    "turn_void_reason_when_void": [
        change(Turn, voided_at=1, void_reason="stopped"),
        change(Turn, state="void", voided_at=1),
        change(Turn, state="void", void_reason="stopped"),
        change(Turn, state="void", voided_at=1, void_reason="boredom"),
    ],
    "turn_time_left_when_paused": [
        change(Turn, state="paused"),
        change(Turn, state="paused", left_ms=-1),
        change(Turn, left_ms=1),
    ],
    "turn_no_pick_while_live": [
        change(Turn, red_pick=1),
        change(Turn, yellow_pick=1),
        change(Turn, resolved_at=1),
        change(Turn, state="paused", left_ms=1, red_pick=1),
    ],
    "turn_resolved_at_when_resolved": [change(Turn, state="resolved")],
    "turn_concealed_untold": [
        change(Turn, state="hidden"),
        change(Turn, state="hidden", sealed_at=1, resolved_at=1),
    ],
    "stored_ballot_one_a_voter": [insert_copy(StoredBallot)],
    "stored_ballot_side_known": [change(StoredBallot, side="blue")],
    "side_change_number_once": [insert_copy(StoredSideChange)],
    "side_change_side_known": [change(StoredSideChange, side="blue")],
    "tally_one_a_side": [insert_copy(TallyRecord)],
    "tally_side_known": [change(TallyRecord, side="blue")],
    "announcement_seq_once": [insert_copy(Announcement)],
    "ticket_code_once": [insert_copy(Ticket, voter="w")],
    "ticket_voter_once": [insert_copy(Ticket, code="LMNPQRST")],
    "ticket_team_1_or_2": [change(Ticket, team=3)],
    "restriction_once_per_voter_code": [insert_copy(StoredRestriction)],
    "restriction_team_1_or_2": [change(StoredRestriction, team=3)],
    "nickname_once_per_voter_code": [insert_copy(Nickname, skeleton="x")],
    "nickname_skeleton_once": [insert_copy(Nickname, voter_code="LMNPQR")],
    "guest_account_complete": [change(Guest, name="x")],
    "notification_once_a_turn": [insert_copy(EmailNotification)],
    "email_address_one_a_voter": [two_addresses_of_voter],
    "email_address_of_guest_or_voter": [
        change(EmailAddress, guest=None),
        change(EmailAddress, team=1),
        lambda rows: change(EmailAddress, event=rows[Event])(rows),
    ],
    "push_notification_once_a_turn": [insert_copy(PushNotification)],
    "push_subscription_of_guest_or_voter": [
        change(PushSubscription, guest=None),
        change(PushSubscription, team=1),
        lambda rows: change(PushSubscription, event=rows[Event])(rows),
    ],
    "chat_room_once": [insert_copy(ChatRoom)],
    "chat_room_one_lobby": [two_lobbies],
    "chat_room_once_a_team": [second_room_of_team],
    "chat_room_of_lobby_or_duel_or_team": [
        change(ChatRoom, kind="lobby"),
        change(ChatRoom, team=1),
        lambda rows: change(ChatRoom, event=rows[Event])(rows),
        lambda rows: change(ChatRoom, kind="team", duel=None, event=rows[Event], team=3)(rows),
    ],
    "suggestion_marked_once": [insert_copy(Mark)],
    "chat_line_seq_once": [insert_copy(ChatLine)],
    "chat_block_once": [insert_copy(ChatBlock)],
    "chat_report_once": [insert_copy(ChatReport)],
    "chat_report_once_by_nobody": [two_anonymous_reports],
    "logo_once": [insert_copy(EventLogo)],
    "cup_format_known": [change(Cup, format="ladder")],
    "cup_best_of_in_range": [change(Cup, best_of=0), change(Cup, best_of=22)],
    "cupteam_seed_once": [insert_copy(CupTeam)],
    "cupteam_seed_in_range": [change(CupTeam, seed=0), change(CupTeam, seed=33)],
    "cuppairing_number_once": [insert_copy(CupPairing)],
    "cuppairing_two_teams": [change(CupPairing, yellow=1)],
    "cuppairing_walkover_1_or_2": [change(CupPairing, walkover=3)],
}
CASES = [pytest.param(name, wrong, id=f"{name}-{n}") for name in WRONG for n, wrong in enumerate(WRONG[name])]


def test_constraints_are_all_covered() -> None:
    known = {
        constraint.name
        for model in apps.get_models()
        if model.__module__.startswith(("games.", "voting.", "crowdgame."))
        for constraint in model._meta.constraints
    }
    assert set(WRONG) == known


@pytest.mark.parametrize(("name", "wrong"), CASES)
def test_constraint_rejects_invalid_row(name: str, wrong: Callable[[Rows], None], rows: Rows) -> None:
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        wrong(rows)
    text = str(refusal.value)
    assert name in text or "UNIQUE constraint failed" in text


def test_event_code_is_unique(rows: Rows) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_copy(Event)(rows)


def test_constraints_accept_valid_rows(rows: Rows) -> None:
    """A void turn frees its number for the repeated turn; an ended match makes room for the next."""
    change(Turn, state="void", red_pick=1, resolved_at=1)(rows)
    insert_copy(Turn, state="resolved", resolved_at=3, red_pick=None, yellow_pick=None)(rows)
    insert_copy(Turn, number=2, state="open", red_pick=None, resolved_at=None)(rows)
    change(Match, state="ended", result="draw", ended_by="forfeit", ended_at=2)(rows)
    insert_copy(Match, number=2, state="playing", result=None, ended_by=None, ended_at=None)(rows)
    assert Turn.objects.count() == 3
    assert Match.objects.count() == 2
