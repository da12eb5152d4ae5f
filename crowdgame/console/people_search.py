"""People search of the console: named ticket holders and restricted voters, by name or voter code."""

from voting import protocol
from voting.admission.restrictions import NO_RESTRICTION, load_restrictions
from voting.counting.voter_codes import derive_voter_code, normalize_voter_code
from voting.models import Ticket

PAGE_SIZE = 50


def find_people(event_id: int, query: str, skip: int) -> protocol.PeopleFound:
    """Return a page of PAGE_SIZE people whose name or voter code contains `query`, starting at `skip`.

    Banned and moved voters come first, then by name. A complete voter code always matches one person: events
    are anonymous, so no list shows whether that voter exists.
    """
    found = [one for one in _load_people(event_id, normalize_voter_code(query)) if _matches_query(one, query)]
    found.sort(key=lambda one: (not (one.banned or one.moved), one.name.casefold(), one.voter_code))
    return protocol.PeopleFound(
        query=query, skip=skip, total=len(found), people=tuple(found[skip : skip + PAGE_SIZE])
    )


def is_known_voter(event_id: int, voter_code: str) -> bool:
    """Whether a ticket or roster entry has this voter code. Voters who joined without one are unknown."""
    voters = Ticket.objects.filter(event=event_id).values_list("voter", flat=True)
    return any(derive_voter_code(voter) == voter_code for voter in voters)


def _load_people(event_id: int, sought: str | None) -> list[protocol.Person]:
    """Return everyone with a name, all moved or banned voters, and the voter with the code `sought`."""
    restrictions = load_restrictions([event_id])[event_id]
    wanted = {
        voter_code
        for voter_code, restriction in restrictions.items()
        if restriction.team or restriction.banned
    }
    wanted |= {sought} if sought else set()
    tickets = Ticket.objects.filter(event=event_id).values_list("label", "team", "voter")
    ticket_holders = {derive_voter_code(voter): (label, team) for label, team, voter in tickets}
    wanted |= {voter_code for voter_code, (label, _) in ticket_holders.items() if label}
    people = []
    for code in wanted:
        name, team = ticket_holders.get(code, ("", None))
        one = restrictions.get(code, NO_RESTRICTION)
        people.append(
            protocol.Person(voter_code=code, name=name, team=team, moved=one.team, banned=one.banned)
        )
    return people


def _matches_query(person: protocol.Person, query: str) -> bool:
    voter_code = "".join(query.split()).replace("-", "").upper()
    return query.strip().casefold() in person.name.casefold() or voter_code in person.voter_code
