"""The chat reader as a process, beside a scheduler that reads chats as on a laptop: one of them is killed."""

import os
import signal
from pathlib import Path
from urllib.request import urlopen

import pytest

from crowdgame.server.laptop.stack import MANAGE
from crowdgame.server.laptop.supervisor import Child
from tests.deploy.processes import wait_until
from tests.server import running_server
from tests.voting.sources.irc_server import message, running_irc_server

pytestmark = pytest.mark.nightly

SEALED = "SELECT ballots FROM voting_tallyrecord WHERE side = 'yellow'"
OPEN = "SELECT id, opens_at FROM games_turn"


def test_no_vote_is_lost_while_one_reader_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running_irc_server() as irc:
        monkeypatch.setenv("TWITCH_CHAT_URL", irc.url)
        with running_server(tmp_path, analyzes=False, schedulers=1) as server:
            server.supervisor.start(Child("chatreader", [*MANAGE, "chatreader"], server.stack.env))
            event = server.ask("event", window_s=60)
            server.ask("set_source", event_id=event["id"], team=2, source="twitch:rooks")
            server.ask("begin", event_id=event["id"])
            server.ask("open_turn_now", event_id=event["id"])
            readers = [irc.next_reader() for _ in range(2)]
            ((turn, opens_at),) = server.rows(OPEN)
            votes = [message(f"chatter{n}", f"!{n % 7 + 1}", opens_at + 1_000 + n) for n in range(100)]
            irc.send(readers, votes[:50])
            pid = server.supervisor.pid("chatreader")
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            irc.send(readers, votes[50:])
            irc.send([irc.next_reader()], votes[:70])
            wait_until(
                lambda: len(server.ask("voters_in_box", event_id=event["id"], turn_id=turn)) == len(votes)
            )
            server.ask("close_after", event_id=event["id"], ms=300)
            wait_until(lambda: server.rows(SEALED) == [(100,)])
            with urlopen(f"{server.http}/chat/{event['code']}?login=Chatter99") as answer:  # noqa: S310
                assert "Column 2, for <bdi>Doves</bdi>." in answer.read().decode()
            server.supervisor.stop()
            assert "chat reader stopped" in server.log("chatreader")
