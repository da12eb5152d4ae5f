"""Chatters beside phones: is a vote of the chat lost, and do phones wait longer for their acknowledgment?"""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from crowdgame.rehearsal.samples import Spread
from tests.crowd_helpers import running_crowd
from tests.deploy.processes import becomes_true, wait_until
from tests.load.bench.load_run import JOINED_WITHIN_S, POLL_S
from tests.load.bench.results import ChatRun
from tests.server import Server, running_server
from tests.voting.sources.irc_server import IrcClient, ThreadedIrcServer, message, running_irc_server

WINDOW_S, TURNS = 10, 3
SENT_UNTIL_MS = 1_500  # before the deadline
STEP_S = 0.1
OPEN_TURN = (
    "SELECT turn.id, opens_at, closes_at FROM games_turn turn JOIN games_match match ON match.id = match_id "
    "WHERE event_id = ? AND turn.state = 'open' AND turn.id > ?"
)
COUNTED = (
    "SELECT COUNT(*), SUM(ballots) FROM voting_tallyrecord JOIN games_turn turn ON turn.id = turn_id "
    "JOIN games_match match ON match.id = match_id WHERE event_id = ? AND side = 'yellow'"
)


def measure_chat(asgi_server: str, phones: int, chatters: int, home: Path) -> ChatRun:
    """Let phones vote without a chat, then against one."""
    with running_irc_server() as irc, pytest.MonkeyPatch.context() as environment, ExitStack() as running:
        environment.setenv("TWITCH_CHAT_URL", irc.url)
        server = running.enter_context(running_server(home / "stack", asgi_server, gateways=2))
        alone, _ = _play(server, phones, home / "alone", irc, chatters=0)
        beside, lost = _play(server, phones, home / "beside", irc, chatters)
    return ChatRun(asgi_server, phones, chatters, TURNS * chatters, lost, alone, beside)


def _play(
    server: Server, phones: int, folder: Path, irc: ThreadedIrcServer, chatters: int
) -> tuple[Spread, int]:
    """Play some turns. Returns the acknowledgments, and how many votes of chatters are missing."""
    event = server.ask("event", owner="otto", window_s=WINDOW_S, pace="instant", lobby="open")
    server.ask("set_source", event_id=event["id"], team=2, source="twitch:rooks" if chatters else "hands")
    argv = [event["code"], "--profile", "spread", "--turns", str(TURNS)]
    with running_crowd(argv, phones, server, folder) as crowd:
        becomes_true(crowd.has_joined, JOINED_WITHIN_S, POLL_S)
        server.ask("begin", event_id=event["id"])
        lost = _chat(server, event["id"], irc, chatters) if chatters else 0
        report = crowd.wait()
    assert report.ack_ms, "no phone voted"
    return report.ack_ms, lost


def _chat(server: Server, event_id: int, irc: ThreadedIrcServer, chatters: int) -> int:
    readers, turn = [irc.next_reader() for _ in server.stack.scheduler_names], 0
    for _ in range(TURNS):
        turn, opens_at, closes_at = _wait_for_turn(server, event_id, after=turn)
        _send_votes(irc, readers, chatters, opens_at, closes_at - SENT_UNTIL_MS)
    wait_until(lambda: server.rows(COUNTED, event_id)[0][0] >= TURNS)
    return TURNS * chatters - int(server.rows(COUNTED, event_id)[0][1])


def _wait_for_turn(server: Server, event_id: int, after: int) -> tuple[int, int, int]:
    """Return the next open turn, when it opens, and when it closes."""
    wait_until(lambda: server.rows(OPEN_TURN, event_id, after))
    ((turn, opens_at, closes_at),) = server.rows(OPEN_TURN, event_id, after)
    return turn, opens_at, closes_at


def _send_votes(
    irc: ThreadedIrcServer, readers: Sequence[IrcClient], chatters: int, begin: int, end: int
) -> None:
    """Send a vote of each chatter, evenly between two times (Unix ms)."""
    sent = 0
    while sent < chatters:
        time.sleep(STEP_S)  # the load is spread over the window
        now = round(time.time() * 1000)
        due = max(0, min(chatters, chatters * (now - begin) // (end - begin)))
        votes = [message(f"chatter{n}", f"!{n % 7 + 1}", now) for n in range(sent, due)]
        irc.send(readers, votes)
        sent = due
