"""The scheduler sends new checkpoints to witnesses; page and doctor show those that are away."""

import socket
from typing import Any

import pytest
from django.test import Client

from crowdgame.maintenance.doctor.transparency import check_log
from crowdgame.results.transparency_log.submission import CheckpointSender, find_due_witnesses
from crowdgame.server.laptop.network import free_port
from tests.crowdgame.results.test_transparency_log import KEY, append
from voting.models import LogEntry, LogWitness
from voting.transparency.log import load_log


@pytest.mark.django_db(transaction=True)
def test_unreachable_witness_stops_nothing(caplog: Any) -> None:
    append("0")
    witness = LogWitness.objects.create(key=KEY, url=f"http://127.0.0.1:{free_port()}")
    sender = CheckpointSender()
    sender()
    first = sender.threads[witness.pk]
    first.join(20)
    assert "witness.example did not cosign" in caplog.text
    sender()
    assert sender.threads[witness.pk] is first, "it waits before the next attempt"


@pytest.mark.django_db(transaction=True)
def test_slow_witness_does_not_delay_others(caplog: Any) -> None:
    append("0")
    sender = CheckpointSender()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        slow = LogWitness.objects.create(key=KEY, url=f"http://127.0.0.1:{silent.getsockname()[1]}")
        other = LogWitness.objects.create(key=f"other{KEY}", url=f"http://127.0.0.1:{free_port()}")
        sender()
        attempt = sender.threads[slow.pk]
        sender.threads[other.pk].join(20)
        assert ("otherwitness.example did not cosign" in caplog.text, attempt.is_alive()) == (True, True)
        sender.asked_at = float("-inf")
        sender()
        assert sender.threads[slow.pk] is attempt, "one attempt at a time"
        sender.threads[other.pk].join(20)
    attempt.join(20)
    assert "the witness witness.example did not cosign" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_missing_entries_are_reported(caplog: Any, client: Client) -> None:
    append("0", "1", "2")
    witness = LogWitness.objects.create(key=KEY, url="http://127.0.0.1:1", size=1)
    LogEntry.objects.filter(pk=1).delete()
    sender = CheckpointSender()
    sender()
    sender.threads[witness.pk].join(20)
    assert "witness.example did not cosign: the log lacks entries" in caplog.text
    assert client.get("/log/proof/3").status_code == 404


@pytest.mark.django_db
def test_only_witnesses_with_address_and_older_checkpoint_are_due() -> None:
    append("0", "1")
    ages: list[tuple[str, int | None]] = [("", 1), ("http://a", None), ("http://b", 1), ("http://c", 2)]
    for number, (url, size) in enumerate(ages):
        LogWitness.objects.create(key=f"{number}", url=url, size=size)
    assert [witness.url for witness in find_due_witnesses()] == ["http://a", "http://b"]


@pytest.mark.django_db
def test_page_and_doctor_show_a_witness_that_is_away(client: Client) -> None:
    append("0", "1", "2")
    assert list(check_log()) == []
    assert "No witness watches" in client.get("/log").content.decode()
    LogWitness.objects.create(key=KEY, size=2, cosigned_at=1)
    assert [(finding.problem, finding.is_wrong) for finding in check_log()] == [
        ("the witness witness.example has cosigned 2 of 3 log entries", False)
    ]
    page = client.get("/log").content.decode()
    assert "2 of 3 entries confirmed" in page
    assert str(load_log().verifier_key).replace("+", "&#x2B;") in page.replace("+", "&#x2B;")


@pytest.mark.django_db
@pytest.mark.parametrize("change", ["replaced", "removed"])
def test_doctor_finds_changed_entries(change: str) -> None:
    append("0", "1")
    if change == "removed":
        LogEntry.objects.filter(pk=1).delete()
    else:
        LogEntry.objects.filter(pk=1).update(content="other")
    [finding] = check_log()
    assert finding.is_wrong
