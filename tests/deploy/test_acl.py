"""A small event on a Valkey whose ACL allows only what the application needs."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest
from redis import Redis
from redis.exceptions import AuthenticationError, ResponseError

from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import Stack, valkey
from crowdgame.server.laptop.supervisor import Supervisor
from tests.deploy.processes import answers, wait_until
from tests.doctor import run_doctor
from tests.hardening.test_floods import submit
from tests.server import Server, organizer, running_parts
from tests.socket_clients import SocketClients
from voting.ballot_box.ballot_box import BallotBox

pytestmark = pytest.mark.nightly

RULES = ROOT / "deploy" / "server" / "valkey.acl"
SETTINGS = RULES.with_name("valkey.conf")
PASSWORD = "of-the-tests"
OPERATOR = f"user operator on >{PASSWORD} ~* &* +@all\n"
DENIED = "(?i)permission|DEBUG command not allowed"  # Valkey disables DEBUG by itself
REFUSED = (
    "FLUSHALL, FLUSHDB, SCRIPT FLUSH, SAVE, SHUTDOWN, MONITOR, DEBUG SLEEP 0, SWAPDB 0 1, CONFIG GET *, "
    "CONFIG SET maxmemory 1, ACL LIST, ACL SETUSER crowdgame allkeys, CLIENT LIST, CLIENT KILL TYPE normal, "
    "REPLICAOF NO ONE, MODULE LIST, FUNCTION LIST, KEYS *, EVAL return(1) 0, SORT crowdgame:x, GET other, "
    "SET other 1, DEL other, RENAME crowdgame:x other, COPY crowdgame:x other, PUBLISH other hello, "
    "SUBSCRIBE other"
)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("guarded")
    rules = data / "users.acl"
    rules.write_text(RULES.read_text().replace("change-me", PASSWORD) + OPERATOR)
    stack = Stack(data=data, secret_key="of the tests", port=free_port(), valkey_port=free_port())
    box = valkey(stack)
    with Supervisor(stack.logs) as supervisor:
        program, *options = box.argv
        supervisor.start(replace(box, argv=[program, str(SETTINGS), *options, "--aclfile", str(rules)]))
        url = f"redis://crowdgame:{PASSWORD}@{LOOPBACK}:{stack.valkey_port}/0"
        wait_until(lambda: answers(url))
        stack = replace(stack, redis_url=url)
        with running_parts(stack) as parts, organizer(stack) as asked:
            yield Server(stack, parts, asked)


@pytest.fixture
def operator(guarded: Server) -> Iterator[Redis]:
    port = guarded.stack.valkey_port
    with Redis(port=port, username="operator", password=PASSWORD, decode_responses=True) as redis:
        yield redis


def test_acl_refuses_clients_without_password(guarded: Server) -> None:
    with Redis(port=guarded.stack.valkey_port) as redis, pytest.raises(AuthenticationError):
        redis.ping()


def test_acl_refuses_unneeded_commands(guarded: Server) -> None:
    for command in REFUSED.split(", "):
        with Redis.from_url(guarded.stack.redis) as redis, pytest.raises(ResponseError, match=DENIED):
            redis.execute_command(*command.split())


def test_acl_allows_everything_an_event_needs(guarded: Server, operator: Redis) -> None:
    operator.acl_log_reset()
    with ExitStack() as stack:
        clients = SocketClients(guarded, stack)
        event = guarded.ask("event", lobby="open", window_s=30, pace="instant")
        display, _ = clients.display(event["code"])
        phones = [clients.phone(event["code"])[0] for _ in range(4)]
        guarded.ask("begin", event_id=event["id"])
        turn = display.receive("match.started")["state"]["match"]["turn"]
        guarded.ask("open_turn_now", event_id=event["id"])
        for phone in phones:
            phone.receive("turn.moved")
            phone.say("ballot.cast", turn=turn["id"], epoch=1, choice=3, sequence=1)
            phone.receive("ballot.counted")
        guarded.ask("close_after", event_id=event["id"], ms=1_500)
        reveal = display.receive("turn.revealed")["state"]["match"]["reveal"]
        assert reveal["red"]["ballots"] + reveal["yellow"]["ballots"] == 4
        console = clients.console(event["code"], guarded.ask("session", name="olga"))
        console.receive("console.welcomed")
        console.say("action.ask", id=1, action="match.abort").receive("action.done")
        failed_login = {"login": "nobody", "password": "wrong"}  # Valkey counts them
        assert submit(guarded, "/console/login/", failed_login).status == 200
    assert operator.acl_log() == []
    assert {str(key).partition(":")[0] for key in operator.keys("*")} == {"crowdgame"}
    for part in ("gateway", "worker", "scheduler"):
        assert guarded.log_errors(part) == []


def test_acl_allows_restore_to_clear_the_ballot_box(guarded: Server, operator: Redis) -> None:
    operator.acl_log_reset()
    box = BallotBox(guarded.stack.redis)
    box.list_active_events()
    box.delete_all_events()
    box.close()
    assert operator.acl_log() == []
    # The gateway of the test before may still report who is there.
    assert all(key.endswith(":gateways") for key in map(str, operator.keys("crowdgame:{*")))


def test_doctor_finds_nothing_wrong_with_the_restricted_user(guarded: Server) -> None:
    assert {"✓ store", "✓ clocks", "✓ workers"} <= set(run_doctor(guarded.stack).splitlines())
