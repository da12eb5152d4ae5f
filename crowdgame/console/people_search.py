"""People search of the console: named ticket holders and restricted voters, by name or voter code."""

from msgspec.structs import replace

from voting import protocol
from voting.admission.restrictions import NO_RESTRICTION, load_restrictions
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.known_voters import find_voters
from voting.counting.voter_codes import derive_voter_code, normalize_voter_code
from voting.models import StoredRestriction, Ticket

PAGE_SIZE = 50


def find_people(event_id: int, query: str, skip: int, box: BallotBox) -> protocol.PeopleFound:
    """Return a page of PAGE_SIZE people whose name or voter code contains `query`, starting at `skip`.

    Banned and moved voters come first, then by name. A complete voter code also matches a voter who is on no
    list but has joined. Raises redis.RedisError while Redis is away.
    """
    sought = normalize_voter_code(query)
    exists = sought is not None and is_known_voter(event_id, sought, box)
    found = [one for one in _load_people(event_id, sought if exists else None) if _matches_query(one, query)]
    found.sort(key=lambda one: (not (one.banned or one.moved), one.name.casefold(), one.voter_code))
    page = _with_connections(event_id, found[skip : skip + PAGE_SIZE], box)
    return protocol.PeopleFound(query=query, skip=skip, total=len(found), people=page)


def is_known_voter(event_id: int, voter_code: str, box: BallotBox) -> bool:
    """Whether a phone has joined with this code, or a ticket, roster entry or restriction has it.

    Raises redis.RedisError while Redis is away.
    """
    if StoredRestriction.objects.filter(event=event_id, voter_code=voter_code).exists():
        return True
    return bool(find_voters(box, event_id, [voter_code])) or voter_code in _load_ticket_holders(event_id)


def _load_ticket_holders(event_id: int) -> dict[str, tuple[str, int | None]]:
    """Return the name, if any, and the team of each ticket's holder, by voter code."""
    tickets = Ticket.objects.filter(event=event_id).values_list("label", "team", "voter")
    return {derive_voter_code(voter): (label, team) for label, team, voter in tickets}


def _load_people(event_id: int, sought: str | None) -> list[protocol.Person]:
    """Return everyone with a name, all moved or banned voters, and the voter with the code `sought`."""
    restrictions = load_restrictions([event_id])[event_id]
    wanted = {
        voter_code
        for voter_code, restriction in restrictions.items()
        if restriction.team or restriction.banned
    }
    wanted |= {sought} if sought else set()
    ticket_holders = _load_ticket_holders(event_id)
    wanted |= {voter_code for voter_code, (label, _) in ticket_holders.items() if label}
    people = []
    for code in wanted:
        name, team = ticket_holders.get(code, ("", None))
        one = restrictions.get(code, NO_RESTRICTION)
        people.append(
            protocol.Person(
                voter_code=code, name=name, team=team, moved=one.team, banned=one.banned, connected=False
            )
        )
    return people


def _with_connections(
    event_id: int, people: list[protocol.Person], box: BallotBox
) -> tuple[protocol.Person, ...]:
    """Add who is connected, and the teams that no list has."""
    joined = find_voters(box, event_id, [person.voter_code for person in people])
    return tuple(
        replace(person, connected=voter.connected, team=person.team or voter.team)
        if (voter := joined.get(person.voter_code))
        else person
        for person in people
    )


def _matches_query(person: protocol.Person, query: str) -> bool:
    voter_code = "".join(query.split()).replace("-", "").upper()
    return query.strip().casefold() in person.name.casefold() or voter_code in person.voter_code
