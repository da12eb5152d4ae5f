"""Who is there by name: an event's class list and whoever was ruled about, as an organizer looks them up."""

from voting import protocol
from voting.admission.restrictions import NO_RULE, Rule, rules_of
from voting.admission.seats import plain_sign, sign_of
from voting.models import Ticket

AT_ONCE = 50


def find_people(event_id: int, query: str, skip: int) -> protocol.PeopleTold:
    """Those with `query` in name or sign, some from `skip` on: the ones under a ruling first, then by name.

    A whole sign is always somebody: halls are anonymous, and no list knows who is there.
    """
    found = [one for one in _people(event_id, plain_sign(query)) if _fits(one, query)]
    found.sort(key=lambda one: (not (one.banned or one.moved), one.name.casefold(), one.sign))
    return protocol.PeopleTold(
        query=query, skip=skip, total=len(found), people=tuple(found[skip : skip + AT_ONCE])
    )


def is_listed(event_id: int, sign: str) -> bool:
    """Whether a ticket or a class list knows somebody with this sign: who came without is on none."""
    voters = Ticket.objects.filter(event=event_id).values_list("voter", flat=True)
    return any(sign_of(voter) == sign for voter in voters)


def _people(event_id: int, sought: str | None) -> list[protocol.Person]:
    """All with a name, all who are moved or kept out, and who has the sign that is sought."""
    rules = rules_of([event_id])[event_id]
    wanted = {sign for sign, rule in rules.items() if rule.team or rule.kept_out}
    wanted |= {sought} if sought else set()
    tickets = Ticket.objects.filter(event=event_id).values_list("label", "team", "voter")
    signed = {sign_of(voter): (label, team) for label, team, voter in tickets}
    wanted |= {sign for sign, (label, _) in signed.items() if label}
    return [_person(sign, *signed.get(sign, ("", None)), rules.get(sign, NO_RULE)) for sign in wanted]


def _person(sign: str, name: str, team: int | None, rule: Rule) -> protocol.Person:
    return protocol.Person(sign=sign, name=name, team=team, moved=rule.team, banned=rule.kept_out)


def _fits(person: protocol.Person, query: str) -> bool:
    sign = "".join(query.split()).replace("-", "").upper()
    return query.strip().casefold() in person.name.casefold() or sign in person.sign
