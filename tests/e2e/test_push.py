"""A voter of an event of days turns on push notifications, and the service worker shows them.

A headless browser denies notifications and has no push service, so that these parts of it are replaced.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Worker, expect

from tests.crowdgame.organizer.api.conftest import running_receiver
from tests.deploy.processes import wait_until
from tests.e2e.page_visits import running_server_with_static
from tests.e2e.screens import PHONE, OpenScreen
from tests.e2e.scripts import page_script
from tests.push_device import PushDevice
from tests.server import Server

DEVICES = "SELECT endpoint FROM notifications_pushsubscription"
ASKABLE_JS = """Object.defineProperty(Notification, "permission", { get: () => "default" });"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("push")
    options = {"webhooks": "private", "public_url": "http://127.0.0.1"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PUSH_SERVICES", "127.0.0.1")
        with running_server_with_static(data, **options) as server:
            yield server


def open_settings(server: Server, open_at: OpenScreen, *scripts: str) -> tuple[dict[str, Any], Page, Page]:
    """Join a new event, and follow the link on the phone."""
    event = server.ask("event", lobby="open", window_s=24 * 3600)
    server.ask("begin", event_id=event["id"])
    phone = open_at(PHONE).page
    phone.context.grant_permissions(["notifications"], origin=server.http)
    for script in scripts:
        phone.context.add_init_script(script)
    phone.goto(f"/{event['code']}")
    with phone.expect_popup() as opened:
        phone.get_by_role("link", name="Notify me when a vote opens").click()
    return event, phone, opened.value


def deliver(page: Page, message: dict[str, Any]) -> None:
    """Deliver a push message to the service worker, as a push service does."""
    devtools, registered = page.context.new_cdp_session(page), list[dict[str, Any]]()
    updated = "ServiceWorker.workerRegistrationUpdated"
    devtools.on(updated, lambda seen: registered.extend(seen["registrations"]))
    devtools.send("ServiceWorker.enable")
    while not registered:
        page.wait_for_timeout(50)
    where = {"origin": page.url.partition("/play/")[0], "registrationId": registered[-1]["registrationId"]}
    devtools.send("ServiceWorker.deliverPushMessage", {**where, "data": json.dumps(message)})


def result(worker: Worker, name: str) -> Any:
    wait_until(lambda: worker.evaluate(f"self.{name}"))
    return worker.evaluate(f"self.{name}")


def test_voter_is_notified_on_this_device(server: Server, open_at: OpenScreen) -> None:
    with running_receiver() as service:
        device = PushDevice(service.url)
        given = f"const given = {json.dumps(device.subscription(''))};"
        event, phone, page = open_settings(server, open_at, ASKABLE_JS, given + page_script("subscribable"))
        page.get_by_role("button", name="Notify me on this device").click()
        for _ in ("at once", "after a reload"):
            expect(page.get_by_role("status")).to_have_text("Notifications are on.")
            page.reload()
        assert server.rows(DEVICES) == [(device.endpoint,)]
        phone.close()
        server.ask("play_to", event_id=event["id"], picks=[[1, 2]])

        def is_pushed() -> bool:
            server.ask("make_pushes_due")  # until the phone counts as gone
            return bool(service.requests)

        wait_until(is_pushed)
        message = device.decrypt(service.requests[0][1])
    (worker,) = page.context.service_workers
    worker.evaluate(page_script("recording"))
    deliver(page, message)
    shown = result(worker, "shown")
    assert (shown["title"], shown["data"]) == ("The vote is open: An evening", f"/{event['code']}")
    assert shown["body"].startswith("Turn 2: vote before ")
    worker.evaluate(page_script("click"), shown["data"])
    assert result(worker, "opened") == f"/{event['code']}"
    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_role("button", name="Notify me on this device")).to_be_visible()
    assert server.rows(DEVICES) == []


def test_browser_that_cannot_be_notified_says_why(server: Server, open_at: OpenScreen) -> None:
    askable, denied, without_push = (
        open_settings(server, open_at, script)[2] for script in (ASKABLE_JS, "", "delete window.PushManager;")
    )
    button = askable.get_by_role("button", name="Notify me on this device")
    button.click()
    expect(askable.get_by_role("alert")).to_contain_text("could not register")
    expect(button).to_be_enabled()
    expect(denied.get_by_role("alert")).to_contain_text("This browser blocks notifications")
    expect(denied.get_by_role("button", name="Notify me on this device")).to_be_hidden()
    expect(without_push.get_by_text("Try another browser.")).to_be_visible()
    expect(without_push.get_by_role("heading", name="Notifications on this device")).to_be_hidden()
