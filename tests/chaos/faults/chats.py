"""A chat reader is killed or paused while a second one reads the same chat.

The chat votes in the last event. A vote that is sent early enough counts as acknowledged.
"""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from random import Random
from typing import Any

from crowdgame.server.laptop.die_with_parent import die_with_parent
from crowdgame.server.laptop.stack import MANAGE
from tests.chaos.faults import Fault, Inject
from tests.chaos.target import BACK_WITHIN_S, Target
from tests.deploy.processes import wait_until
from tests.voting.sources.irc_server import message

READER = "chatreader"
CHATTERS = [f"chatter{number}" for number in range(40)]
VOTES = 25  # at a time, so that some chatters vote again
SPARE_MS = 1_000  # before the deadline, for the readers
OPEN_WITHIN_S = 30.0
STATE = "SELECT state FROM games_turn WHERE id = ?"


def disturb(harm: Callable[[Target], AbstractContextManager[None]]) -> Inject:
    """The chat votes before, during and after the harm to one of two readers."""

    def inject(target: Target, rng: Random) -> None:
        with second_reader(target):
            send_votes(target, rng)
            with harm(target):
                send_votes(target, rng)
            turn = send_votes(target, rng)
            wait_until(lambda: target.rows(STATE, turn) == [("resolved",)], OPEN_WITHIN_S)

    return inject


@contextmanager
def killed(target: Target) -> Iterator[None]:
    pid = target.pid(READER)
    os.killpg(pid, signal.SIGKILL)
    yield
    wait_until(lambda: target.supervisor.pid(READER) not in {None, pid}, BACK_WITHIN_S)


@contextmanager
def paused(target: Target) -> Iterator[None]:
    group = target.pause(READER)
    try:
        yield
    finally:
        target.resume(group)


@contextmanager
def second_reader(target: Target) -> Iterator[None]:
    """Both readers have joined the chat. The second one is killed at the end."""
    stack = target.stack
    env = {**os.environ, **stack.env, "TWITCH_CHAT_URL": target.chat.url}
    with (
        (stack.logs / "chatreader-2.log").open("a") as log,
        subprocess.Popen(die_with_parent([*MANAGE, READER]), env=env, stdout=log, stderr=log) as reader,
    ):
        try:
            wait_until(lambda: len(target.readers) == 2, BACK_WITHIN_S)
            yield
        finally:
            reader.kill()


def send_votes(target: Target, rng: Random) -> int:
    """Send votes while the turn is open, and one that is too late. Returns the turn."""
    logins, seed, drawn = rng.sample(CHATTERS, VOTES), rng.random(), dict[str, Any]()
    asked = {"event_id": target.events[-1]["id"], "logins": logins, "seed": seed, "spare_ms": SPARE_MS}

    def draw() -> bool:
        drawn.update(target.ask("draw_chat_votes", **asked))
        return bool(drawn)

    wait_until(draw, OPEN_WITHIN_S)
    turn, at = drawn["turn"], drawn["at"]
    lines = [message("late", "!1", drawn["closes_at"])]
    for login, column, voter, sequence, blind in drawn["votes"]:
        lines.append(message(login, f"!{column}", at))
        target.chat_votes.append(["sent", at, voter, turn, column, sequence, blind])
        target.chat_votes.append(["ack", at, voter, turn, column, sequence])
    target.chat.send(target.readers, lines)
    return int(turn)


FAULTS = (Fault("chat reader killed", disturb(killed)), Fault("chat reader paused", disturb(paused)))
