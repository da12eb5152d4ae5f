"""Two events that differ only in hidden votes look the same to every observer, byte for byte."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from tests.monitoring.observers import Observers, watchers
from tests.monitoring.probes import ask, paused
from tests.server import Server, running_server
from tests.socket_clients import SocketClient, SocketClients, open_clients
from voting.counting.ballots import DRAW

LOW, HIGH = [DRAW + 1, DRAW + 1, 2], [7, 7, 6]
IN_THE_BOX_MS, IN_THE_DATABASE_MS = 540_000, 1_100_000
DEADLINE_AND_HEARTBEAT_S = 1.5
OWN_COUNTS_S = 2.5
TERMS: dict[str, Any] = {"lobby": "open", "team_choice": "choose", "analysis": "turn", "draw_offers": True}
DISCUSSED = {"team_discussion": True}
SEES_MORE = {"peek": True, "own_counts": True}  # but not of hidden votes
Votes = dict[int, list[int]]


@dataclass
class Stage:
    """An event on a running server, its voters and its observers. `seen`: what was visible, by moment."""

    server: Server
    clients: SocketClients
    watching: Observers
    event_id: int
    phones: list[SocketClient] = field(default_factory=list)
    seen: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def projector(self) -> SocketClient:
        return self.watching.clients["the projector"]

    def open_turn(self, window_ms: int = IN_THE_BOX_MS) -> int:
        turn = int(self.server.ask("close_after", event_id=self.event_id, ms=window_ms))
        self.watching.receive("turn.moved")
        return turn

    def vote(self, votes: Votes) -> None:
        """A new phone joins for each of these votes by team."""
        for team, columns in votes.items():
            for choice in columns:
                phone, welcome = self.clients.phone(self.watching.code, team=team)
                turn = welcome["state"]["match"]["turn"]
                if welcome["now_at"] < turn["opens_at"]:  # its gateway has not applied the new window yet
                    phone.receive("turn.moved")
                cast(phone, turn["id"], choice)
                self.phones.append(phone)

    def count_analyses(self) -> int:
        ((count,),) = self.server.rows("SELECT COUNT(*) FROM analysis_turnanalysis")
        return int(count)

    def look(self, moment: str) -> None:
        self.seen[moment] = self.watching.observe()

    def close(self, kind: str) -> dict[str, Any]:
        """Let the worker close the turn and return the announcement; a scheduler could seal it again."""
        with paused(self.server, "scheduler-1", "scheduler-2"):
            turn = self.server.ask("close_after", event_id=self.event_id, ms=0)
            self.server.ask("call_worker", turn_id=turn)
            return self.watching.receive(kind)


def cast(phone: SocketClient, turn: int, choice: int, sequence: int = 1) -> None:
    phone.say("ballot.cast", turn=turn, choice=choice, sequence=sequence, epoch=1)
    phone.receive("ballot.counted", turn=turn, sequence=sequence)


def open_vote(stage: Stage, votes: Votes, window_ms: int) -> object:
    """A turn in which a voter changes a vote and the organizer pauses it, up to its reveal."""
    turn = stage.open_turn(window_ms)
    stage.vote(votes)
    suggest(stage, votes[1][0] % DRAW)
    for number, phone in enumerate(stage.phones, 10):
        phone.say("nickname.ask", name=f"Otter {number}").receive("nickname.answered", allowed=True)
    stage.projector.receive("turnout.counted", voted=[len(LOW), len(HIGH)])
    cast(stage.phones[0], turn, 4, sequence=2)
    stage.phones[0].say("drop.show", turn=turn).receive("drop.answered", answer="waiting", index=None)
    stored = stage.server.rows("SELECT COUNT(*) FROM voting_storedballot")
    assert stored == [(len(LOW + HIGH) if window_ms == IN_THE_DATABASE_MS else 0,)]
    pressed = ("turn.extend", "joining.lock", "turn.pause", "turn.resume")
    announced = ("turn.moved", "joining.locked", "turn.paused", "turn.resumed")
    for number, (action, kind) in enumerate(zip(pressed, announced, strict=True), 1):
        stage.watching.clients["the console"].say("action.ask", id=number, action=action)
        stage.watching.receive(kind)
    if window_ms == IN_THE_DATABASE_MS:
        stage.look("in the window")
    ((seed,),) = stage.server.rows("SELECT seed FROM games_turn WHERE id = ?", turn)
    with paused(stage.server, "scheduler-1", "scheduler-2", "worker"):
        stage.open_turn(200)
        time.sleep(DEADLINE_AND_HEARTBEAT_S)  # nothing should happen, so there is nothing to wait for
        stage.look("after the deadline")
        assert stage.count_analyses() == 0
        assert all(seed not in text for text in stage.watching.raw_output.values())
        digits = [f"/admin/voting/turn/?seed__startswith={digit}" for digit in "0123456789abcdef"]
        assert {stage.watching.admin_status(query) for query in digits} == {400}
    reveal = stage.projector.receive("turn.revealed")["state"]["match"]["reveal"]
    assert reveal["seed"] == seed
    check_nicknames(stage.watching)
    return reveal["red"]["counts"]


def suggest(stage: Stage, column: int) -> None:
    """A voter of team 1 suggests a column. Somebody of team 2 listens, and receives nothing."""
    voters = []
    for team in (1, 2):
        token = stage.server.ask("seat_token", event_id=stage.event_id, voter=f"talker {team}", team=team)
        voters.append(stage.clients.open("chat").say("chat.join", key=token))
        voters[-1].receive("suggestion.answered")
    one, two = voters
    one.say("suggestion.send", text=f"Column {column}!", choice=column)
    one.receive("discussion.updated", total=1)
    two.receive("discussion.updated")
    two.say("suggestion.mark", id=1, mark="agree").receive("suggestion.answered", agreed=[])
    assert [message for message in two.received if message.get("total") or message.get("suggestions")] == []


def check_nicknames(watching: Observers) -> None:
    """Administrators saw them apart from any vote. Nobody else has seen them, even after the reveal."""
    seen = [name for name, text in watching.raw_output.items() if "Otter 10" in text]
    assert seen
    assert [name for name in seen if not name.startswith("admin /admin/voting/nickname/")] == []
    public = [*watching.frames().values(), ask(watching.server, f"/record/{watching.code}/1.json").body]
    assert "Otter" not in str(public)


def waiting_reveal(stage: Stage, votes: Votes) -> object:
    """The votes are sealed, and the reveal waits for the organizer."""
    stage.open_turn()
    stage.vote(votes)
    stage.projector.receive("turnout.counted", voted=[len(LOW), len(HIGH)])
    turn = stage.open_turn(200)
    stage.projector.receive("turn.sealed")
    time.sleep(DEADLINE_AND_HEARTBEAT_S)  # nothing more should happen, so there is nothing to wait for
    stage.look("while the reveal waits")
    assert stage.count_analyses() == 0
    assert stage.server.rows("SELECT id FROM voting_tallyrecord") == []
    ((seed,),) = stage.server.rows("SELECT seed FROM games_turn WHERE id = ?", turn)
    assert all(seed not in text for text in stage.watching.raw_output.values())
    assert stage.watching.received("turn.revealed", "team.counted", "counts.updated") == []
    stage.watching.clients["the console"].say("action.ask", id=1, action="reveal.start")
    reveal = stage.watching.receive("turn.revealed")["state"]["match"]["reveal"]
    return reveal["red"]["counts"]


def concealed_half(stage: Stage, votes: Votes) -> object:
    """The half-turn of the selector's holder is hidden until the other side has voted in the open."""
    stage.open_turn()
    stage.vote(votes)
    stage.projector.receive("turnout.counted", voted=[len(votes[1]), 0])
    time.sleep(OWN_COUNTS_S)  # own counts would arrive by then
    kept = stage.close("turn.concealed")["state"]["match"]["concealed"]["turn"]
    assert stage.watching.received("team.counted", "counts.updated") == []
    voter = stage.watching.clients["a phone of team 1"]
    receipt = voter.say("receipt.ask", turn=kept).receive("receipt.issued")
    assert (receipt["side"], receipt["path"]) == (None, [])
    stage.look("between the halves")
    stage.open_turn()
    stage.vote({2: [3, 3, 5]})
    for name in stage.watching.clients.keys() - {"a phone without a seat"}:
        stage.watching.clients[name].receive("team.counted", counts=[0, 0, 2, 0, 1, 0, 0])
    stage.look("in the second half")
    assert stage.count_analyses() == 0
    reveal = stage.close("turn.revealed")["state"]["match"]["reveal"]
    assert reveal["yellow"]["counts"] == [0, 0, 2, 0, 1, 0, 0]
    assert reveal["concealed"]["seed"]
    return reveal["red"]["counts"]


def secret_sides(stage: Stage, changing: list[int]) -> object:
    """Two voters change sides between two turns. Majorities are so clear that no pick depends on it."""
    choices = {1: [1] * 5 + [4], 2: [4] * 5 + [1]}
    stage.open_turn(IN_THE_DATABASE_MS)
    stage.vote(choices)
    turn = stage.close("turn.revealed")["state"]["match"]["turn"]["id"]
    for number in changing:
        other_team = 2 if number < len(choices[1]) else 1
        stage.phones[number].say("side.change", turn=turn, number=1, team=other_team)
        stage.phones[number].receive("side.changed")
    stage.look("after the side changes")
    assert stage.open_turn(IN_THE_DATABASE_MS) == turn
    for phone, choice in zip(stage.phones, choices[1] + choices[2], strict=True):
        phone.receive_until(
            lambda one: one["type"] == "turn.moved" and one["state"]["match"]["turn"]["id"] == turn
        )
        cast(phone, turn, choice)
    stage.projector.receive("turnout.counted", turn=turn, voted=[6, 6])
    match = stage.close("turn.revealed")["state"]["match"]
    assert (match["sides"], match["reveal"]["seed"]) == (None, None), "the seed would reveal a drawn pick"
    shown = {name: match["reveal"]["red"][name] for name in ("counts", "ballots", "pick", "decided_by")}
    assert shown == {"counts": [], "ballots": 0, "pick": 1, "decided_by": None}
    assert stage.watching.received("team.counted", "counts.updated") == []
    stage.look("after the second reveal")
    for query in ("turn/?tallies__ballots=7", "match/?side_changes__side=red"):
        assert stage.watching.admin_status(f"/admin/voting/{query}") == 400
    tallies = "SELECT side, counts FROM voting_tallyrecord WHERE turn_id = ? ORDER BY side"
    return stage.server.rows(tallies, turn)


ADMIN_PAGES = ("turn", "storedballot", "tallyrecord", "announcement", "ticket", "turn/1/change")
OPEN_SHOWS = {
    "metric_samples": f"[('outcome', 'counted')]\": {float(len(LOW + HIGH) + 1)}",
    "log of the gateways": "gateway started",
    **dict.fromkeys(("channel layer", "outbox"), "turn.moved"),
    **dict.fromkeys(("the projector", "a phone of team 2"), '"columns":7'),
    **dict.fromkeys(("page /privacy", "page /record/{code}/1.json"), "200"),
    **dict.fromkeys((f"admin /admin/voting/{name}/" for name in ADMIN_PAGES), ""),
}
CONCEALED_SHOWS = {
    **dict.fromkeys(("the projector", "a phone of team 2", "channel layer", "outbox"), '"concealed":{'),
    "log of the worker": "sealed DURATION and resolved DURATION",
    **dict.fromkeys(("page /record/{code}/1.json", "page /report/{code}/1.csv"), "200"),
}
SWAPPED = {1: LOW, 2: HIGH}, {1: HIGH, 2: LOW}
# A function that plays with hidden votes and returns what distinguishes them afterwards, two votes, terms,
# and by observer a part of what must be visible at the first moment.
Scenario = tuple[Callable[[Stage, Any], object], tuple[Any, Any], dict[str, Any], dict[str, str]]
SCENARIOS: dict[str, Scenario] = {
    "in the box": (partial(open_vote, window_ms=IN_THE_BOX_MS), SWAPPED, DISCUSSED, OPEN_SHOWS),
    "in the database": (partial(open_vote, window_ms=IN_THE_DATABASE_MS), SWAPPED, DISCUSSED, OPEN_SHOWS),
    "waiting reveal": (
        waiting_reveal,
        SWAPPED,
        {"host_wait_s": 180},
        {"the projector": '"host_wait_s":180', "a phone of team 2": "turn.sealed", "outbox": "turn.moved"},
    ),
    "concealed half": (
        concealed_half,
        ({1: LOW}, {1: HIGH}),
        {"game": "single-selector", "options": {"token": "red"}, **SEES_MORE},
        CONCEALED_SHOWS,
    ),
    "secret sides": (
        secret_sides,
        ([0, 1], [6, 7]),
        {"max_side_changes": 1, "talk_s": 600, **SEES_MORE},
        {
            "page /record/{code}/1.json": "403",
            "outbox": '"peek":false',
            "a phone of team 1": '"own_counts":false',
        },
    ),
}


def observe(
    play: Callable[[Stage, Any], object], votes: object, terms: dict[str, Any], data: Path
) -> tuple[dict[str, dict[str, str]], object]:
    """What observers saw at each moment, and what distinguishes the votes afterwards."""
    with running_server(data) as server, open_clients(server) as clients:
        made = server.ask("event", window_s=IN_THE_BOX_MS // 1000, **TERMS, **terms)
        server.ask("begin", event_id=made["id"])
        with watchers(server, clients, made["code"]) as watching:
            stage = Stage(server, clients, watching, made["id"])
            return stage.seen, play(stage, votes)
    raise AssertionError("there was no observer")


def differing(one: dict[str, str], other: dict[str, str]) -> dict[str, tuple[str, str]]:
    """The observers that see a difference, each with the first differing line."""
    found = {}
    for name in one.keys() | other.keys():
        lines = zip_longest(one.get(name, "").splitlines(), other.get(name, "").splitlines(), fillvalue="")
        if pairs := [pair for pair in lines if pair[0] != pair[1]]:
            found[name] = pairs[0]
    return found


@pytest.mark.parametrize(
    "name", ["in the box", *(pytest.param(name, marks=pytest.mark.nightly) for name in list(SCENARIOS)[1:])]
)
def test_hidden_votes_change_no_observable_byte(name: str, tmp_path: Path) -> None:
    play, votes, terms, shows = SCENARIOS[name]
    one, shown = observe(play, votes[0], terms, tmp_path / "one")
    other, shown_otherwise = observe(play, votes[1], terms, tmp_path / "other")
    for moment, seen in one.items():
        assert differing(seen, other[moment]) == {}, moment
        assert seen == other[moment], moment
    first = next(iter(one.values()))
    for observer, part in shows.items():  # an empty observation would be equal, too
        assert part in first[observer], observer
    assert shown != shown_otherwise, "the same observers see the difference as soon as it is public"
