"""What organizers ruled about people, done to those of them who are here."""

from voting.admission.restrictions import NO_RULE, Rule, Rules
from voting.gateway.event_room import Room
from voting.gateway.voters import Voter
from voting.protocol import CloseCode


def enforce(room: Room, rules: Rules) -> None:
    """Take these rules for the ones before, and do what is new in them."""
    before, room.rules = room.rules, rules
    changed = {sign for sign in before.keys() | rules.keys() if before.get(sign) != rules.get(sign)}
    if changed:
        for voter in [one for one in room.voters.values() if one.sign in changed]:
            _enforce(room, voter, before.get(voter.sign, NO_RULE), rules.get(voter.sign, NO_RULE))


def _enforce(room: Room, voter: Voter, before: Rule, rule: Rule) -> None:
    if rule.kept_out:
        room.put_out(voter, CloseCode.KEPT_OUT)
    elif rule.sent_out_at > before.sent_out_at:
        room.put_out(voter, CloseCode.SENT_OUT)
    else:
        room.move(voter)
