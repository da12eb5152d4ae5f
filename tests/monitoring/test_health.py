import asyncio
from pathlib import Path
from typing import Any

import pytest
from channels.testing import HttpCommunicator
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from crowdgame.server.monitoring.health import may_read_metrics, serve_monitoring
from crowdgame.server.monitoring.readiness import DependencyCheck, NotReady, Readiness, readiness
from tests.deploy.processes import wait_until
from tests.monitoring.probes import ask, paused
from tests.server import Server, running_server

READY = {"ready": True, "database": "ok", "ballot_box": "ok", "channel_layer": "ok"}
AWAY = {"unavailable", "timed out"}


async def respond(path: str, method: str = "GET", client: str = "127.0.0.1") -> tuple[int, bytes]:
    """The response's status and body. Other requests are passed to an application that responds with 418."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 418, "headers": []})
        await send({"type": "http.response.body", "body": scope["path"].encode()})

    request = HttpCommunicator(serve_monitoring(application), method, "/")
    request.scope |= {"path": path, "client": (client, 1)}
    response = await request.get_response(timeout=20)
    return response["status"], response["body"]


def test_gateway_is_healthy_and_ready(server: Server) -> None:
    assert ask(server, "/healthz").status == 200
    wait_until(lambda: ask(server, "/readyz").json == READY)
    assert ask(server, "/readyz").status == 200
    head = ask(server, "/readyz", method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert (ask(server, "/readyz/services").status, ask(server, "/readyz/services").json) == (200, READY)


@pytest.mark.nightly
def test_readiness_reports_frozen_store_while_pages_work(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        wait_until(lambda: ask(server, "/readyz").json == READY)
        with paused(server, "valkey"):
            wait_until(lambda: ask(server, "/readyz").json["channel_layer"] in AWAY)
            away = ask(server, "/readyz")
            assert (away.status, away.json["ready"], away.json["database"]) == (200, True, "ok")
            assert away.json["ballot_box"] in AWAY
            services = ask(server, "/readyz/services")
            assert (services.status, services.json["ready"]) == (503, False)
            assert [ask(server, path).status for path in ("/healthz", "/console/login/")] == [200, 200]
        wait_until(lambda: ask(server, "/readyz/services").status == 200)


async def test_readiness_stays_true_after_first_success_until_drain() -> None:
    async def refuse() -> None:
        raise NotReady("is away")

    async def answer() -> None:
        pass

    ready, found = Readiness(), []
    for box in (refuse, answer, refuse):
        ready._parts = {"database": DependencyCheck(answer), "ballot_box": DependencyCheck(box)}
        await ready.check()
        found.append(ready.is_ready)
    ready.draining = True
    assert [*found, ready.is_ready] == [False, True, True, False]


@pytest.mark.django_db(transaction=True)
def test_readiness_detects_missing_migration(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crowdgame.server.monitoring.readiness.CHECK_TIMEOUT_S", 30)
    applied = MigrationRecorder(connection).migration_qs.filter(app="voting").order_by("-name")
    newest = applied.first()
    assert newest is not None
    applied.filter(pk=newest.pk).delete()
    try:
        parts = asyncio.run(Readiness().check())
    finally:
        newest.save()
    assert parts["database"] == "migrations pending"
    assert asyncio.run(Readiness().check())["database"] == "ok"
    monkeypatch.setattr("crowdgame.server.monitoring.readiness.is_disk_full", lambda _: True)
    assert asyncio.run(Readiness().check())["database"] == "read-only: the disk is full"


@pytest.mark.django_db(transaction=True)
async def test_readiness_shares_and_caches_checks(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crowdgame.server.monitoring.readiness.CHECK_TIMEOUT_S", 30)
    ready, checks = Readiness(), list[set[object]]()
    for callers, ttl_s in ((50, 60), (1, 60), (1, 0)):
        monkeypatch.setattr("crowdgame.server.monitoring.readiness.CHECK_TTL_S", ttl_s)
        await asyncio.gather(*(ready.check() for _ in range(callers)))
        checks.append({part.pending for part in ready._parts.values()})
    assert [len(later - checks[0]) for later in checks] == [0, 0, 3]


async def test_draining_gateway_is_healthy_but_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "draining", True)
    assert await respond("/readyz") == (503, b'{"ready": false, "gateway": "draining"}')
    assert (await respond("/healthz"))[0] == 200


async def test_monitoring_passes_other_requests_to_the_application() -> None:
    for path in ("/", "/healthz/", "/metrics/", "/Metrics", "/readyz\n"):
        assert await respond(path) == (418, path.encode())
    assert await respond("/metrics", "POST") == (418, b"/metrics")


def scope(client: Any = ("127.0.0.1", 4711), **headers: str) -> dict[str, Any]:
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"client": client, "headers": named}


@pytest.mark.parametrize(
    ("remote_scope", "allowed"),
    [
        *((scope((host, 4711)), True) for host in ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1")),
        *((scope((host, 4711)), False) for host in ("192.0.2.1", "::ffff:192.0.2.1", "localhost")),
        (scope(None), False),
        (scope([]), False),
        *((scope(x_forwarded_for=address), False) for address in ("192.0.2.1", "")),
        (scope(forwarded="for=192.0.2.1"), False),
        (scope(x_real_ip="192.0.2.1"), False),
        *((scope(("192.0.2.1", 4711), authorization=f"Bearer {word}"), False) for word in ("", "None")),
    ],
)
def test_metrics_are_allowed_from_loopback_without_proxy(remote_scope: dict[str, Any], allowed: bool) -> None:
    assert may_read_metrics(remote_scope) is allowed


def test_metrics_token_allows_any_address(settings: Any) -> None:
    settings.METRICS_TOKEN = "a-long-token"
    far = ("192.0.2.1", 4711)
    assert may_read_metrics(scope(far, authorization="Bearer a-long-token", x_forwarded_for="192.0.2.1"))
    for wrong in ("Bearer a-long-toke", "Bearer a-long-token2", "a-long-token", "Basic a-long-token", ""):
        assert not may_read_metrics(scope(far, authorization=wrong))


async def test_metrics_return_404_to_remote_client(server: Server) -> None:
    assert ask(server, "/metrics").status == 200
    remote = ask(server, "/metrics", {"X-Forwarded-For": "192.0.2.1"})
    assert (remote.status, b"crowdgame" in remote.body) == (404, False)
    assert (await respond("/metrics", client="192.0.2.1"))[0] == 404
