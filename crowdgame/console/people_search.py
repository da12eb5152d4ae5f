"""People search of the console: named ticket holders, restricted voters and connected phones."""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from voting import protocol
from voting.admission.restrictions import NO_RESTRICTION, load_restrictions
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.known_voters import ConnectedPhone, PhoneFilter, find_voters, scan_phones
from voting.counting.voter_codes import VOTER_CODE_ALPHABET, derive_voter_code, normalize_voter_code
from voting.models import StoredRestriction, Ticket
from voting.protocol import PeopleAsk, Person
from voting.typed_codes import normalize_code

PAGE_SIZE = 50
SCAN = "c"  # begins a page's cursor once all listed people were returned


@dataclass(frozen=True, slots=True)
class OpenVote:
    """The turn that is open for votes, and the teams that vote in it."""

    turn_id: int
    teams: frozenset[int]


NO_VOTE = OpenVote(0, frozenset())


def find_people(
    event_id: int, ask: PeopleAsk, box: BallotBox, vote: OpenVote = NO_VOTE
) -> protocol.PeopleFound:
    """Return a page of about PAGE_SIZE people.

    Restricted voters come first, then people with a name, then other connected phones. Only the number of
    tickets and restrictions, which is limited, decides how much is loaded; the phones are read page by page.
    Raises redis.RedisError while Redis is away.
    """
    listed = _load_listed(event_id, ask, box, vote)
    page: list[Person] = []
    cursor = ask.after.removeprefix(SCAN)
    if not ask.after.startswith(SCAN):
        skip = int(cursor) if cursor.isdecimal() else 0
        found = sorted((one for one in listed if _matches(one, ask)), key=_order)
        page = found[skip : skip + PAGE_SIZE]
        if len(page) == PAGE_SIZE:
            return protocol.PeopleFound(id=ask.id, people=tuple(page), more=str(skip + PAGE_SIZE))
        cursor = "0"
    known = {person.voter_code for person in listed}
    phones: list[ConnectedPhone] = []
    if set(_code(ask.query)) <= set(VOTER_CODE_ALPHABET):
        which = PhoneFilter(vote.turn_id, _code(ask.query), ask.team, ask.voted)
        phones, cursor = scan_phones(box, event_id, which, cursor, wanted=PAGE_SIZE - len(page))
    people = [one for one in _list_phones(phones, vote) if one.voter_code not in known]
    page += [one for one in people if ask.voted in {None, one.voted}]
    return protocol.PeopleFound(id=ask.id, people=tuple(page), more="" if cursor == "0" else SCAN + cursor)


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


def _load_listed(event_id: int, ask: PeopleAsk, box: BallotBox, vote: OpenVote) -> list[Person]:
    """Return everyone with a name, all restricted voters, and the voter whose complete code was typed."""
    ticket_holders, restrictions = _load_ticket_holders(event_id), load_restrictions([event_id])[event_id]
    sought = normalize_voter_code(ask.query)
    codes = {code for code, (name, _) in ticket_holders.items() if name} | restrictions.keys()
    if sought and is_known_voter(event_id, sought, box):
        codes.add(sought)
    joined = find_voters(box, event_id, sorted(codes))
    voters = [joined[code].voter for code in joined] if vote.teams else []
    voted = box.find_ballots(event_id, vote.turn_id, voters)
    people = []
    for code in codes:
        name, ticket_team = ticket_holders.get(code, ("", None))
        restriction, phone = restrictions.get(code, NO_RESTRICTION), joined.get(code)
        connected = phone is not None and phone.connected
        person = Person(
            voter_code=code,
            name=name,
            team=ticket_team or (phone.team if phone else None),
            moved=restriction.team,
            banned=restriction.banned,
            removed=bool(restriction.kicked_at) and not connected,
            connected=connected,
            voted=None,
        )
        has_voted = phone is not None and phone.voter in voted
        people.append(replace(person, voted=has_voted if _team(person) in vote.teams else None))
    return people


def _list_phones(phones: list[ConnectedPhone], vote: OpenVote) -> Iterator[Person]:
    for phone in phones:
        yield Person(
            voter_code=phone.voter_code,
            name="",
            team=phone.team,
            moved=None,
            banned=False,
            removed=False,
            connected=True,
            voted=phone.voted if phone.team in vote.teams else None,
        )


def _team(person: Person) -> int | None:
    return person.moved or person.team


def _code(query: str) -> str:
    return normalize_code(query) or query.strip()


def _order(person: Person) -> tuple[bool, str, str]:
    restricted = person.banned or person.removed or person.moved is not None
    return not restricted, person.name.casefold(), person.voter_code


def _matches(person: Person, ask: PeopleAsk) -> bool:
    fits = ask.team in {None, _team(person)} and ask.voted in {None, person.voted}
    return fits and (
        ask.query.strip().casefold() in person.name.casefold() or _code(ask.query) in person.voter_code
    )
