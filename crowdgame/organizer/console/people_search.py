"""People search of the console: ticket holders and nicknames, restricted voters, connected phones."""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from voting import protocol
from voting.admission.restrictions import NO_RESTRICTION, load_restrictions
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.known_voters import ConnectedPhone, PhoneFilter, find_voters, scan_phones
from voting.counting.voter_codes import VOTER_CODE_ALPHABET, derive_voter_code, normalize_voter_code
from voting.models import Nickname, StoredRestriction, Ticket
from voting.protocol import NicknameStatus, PeopleAsk, Person
from voting.typed_codes import normalize_code

PAGE_SIZE = 50
MAX_NICKNAMES = 200  # listed by name, or because they wait for an organizer
SCAN = "c"  # begins a page's cursor once all listed people were returned


@dataclass(frozen=True, slots=True)
class OpenVote:
    """The turn that is open for votes, and the teams that vote in it."""

    turn_id: int
    teams: frozenset[int]
    shards: int = 1


NO_VOTE = OpenVote(0, frozenset())


def find_people(
    event_id: int, ask: PeopleAsk, box: BallotBox, vote: OpenVote = NO_VOTE
) -> protocol.PeopleFound:
    """Return a page of about PAGE_SIZE people.

    Nicknames that wait for an organizer come first, then restricted voters, people with a name, and other
    connected phones. Only the number of tickets and restrictions, which is limited, decides how much is
    loaded; the phones are read page by page. Raises redis.RedisError while Redis is away.
    """
    listed = _add_nicknames(event_id, _load_listed(event_id, ask, box, vote))
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
        which = PhoneFilter(vote.turn_id, _code(ask.query), ask.team, ask.voted, vote.shards)
        phones, cursor = scan_phones(box, event_id, which, cursor, wanted=PAGE_SIZE - len(page))
    people = [one for one in _list_phones(phones, vote) if one.voter_code not in known]
    page += _add_nicknames(event_id, [one for one in people if ask.voted in {None, one.voted}])
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
    """Return everyone on the class list, all restricted voters, and the voter whose complete code was typed.

    Also returns the voters whose nickname matches or waits for an organizer.
    """
    ticket_holders, restrictions = _load_ticket_holders(event_id), load_restrictions([event_id])[event_id]
    sought = normalize_voter_code(ask.query)
    codes = {code for code, (name, _) in ticket_holders.items() if name} | restrictions.keys()
    codes |= _find_nicknames(event_id, ask.query)
    if sought and is_known_voter(event_id, sought, box):
        codes.add(sought)
    joined = find_voters(box, event_id, sorted(codes))
    voters = [joined[code].voter for code in joined] if vote.teams else []
    voted = box.find_ballots(event_id, vote.turn_id, voters, vote.shards)
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


def _find_nicknames(event_id: int, query: str) -> set[str]:
    """Return the voter codes of nicknames that contain the query, or that wait if there is none."""
    named = Nickname.objects.filter(event=event_id).order_by("chosen_at")
    query = query.strip()
    found = named.filter(name__icontains=query) if query else named.filter(allowed=False)
    return set(found.values_list("voter_code", flat=True)[:MAX_NICKNAMES])


def _add_nicknames(event_id: int, people: list[Person]) -> list[Person]:
    codes = [person.voter_code for person in people]
    nicknames = Nickname.objects.filter(event=event_id, voter_code__in=codes)
    named = {one.voter_code: one for one in nicknames}
    removed = set(
        StoredRestriction.objects.filter(event=event_id, nameless=True).values_list("voter_code", flat=True)
    )
    return [
        replace(
            person,
            nickname=named[person.voter_code].name,
            nickname_status=_nickname_status(named[person.voter_code], removed),
        )
        if person.voter_code in named
        else person
        for person in people
    ]


def _nickname_status(nickname: Nickname, removed: set[str]) -> NicknameStatus:
    if nickname.voter_code in removed:
        return "removed"
    return "allowed" if nickname.allowed else "waiting"


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


def _order(person: Person) -> tuple[bool, bool, str, str]:
    restricted = person.banned or person.removed or person.moved is not None
    waits = person.nickname_status == "waiting" and not person.banned
    name = person.name or person.nickname
    return not waits, not restricted, name.casefold(), person.voter_code


def _matches(person: Person, ask: PeopleAsk) -> bool:
    fits = ask.team in {None, _team(person)} and ask.voted in {None, person.voted}
    query = ask.query.strip().casefold()
    named = query in person.name.casefold() or query in person.nickname.casefold()
    return fits and (named or _code(ask.query) in person.voter_code)
