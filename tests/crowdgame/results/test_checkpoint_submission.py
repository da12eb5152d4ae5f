"""The scheduler sends new checkpoints to witnesses; page and doctor show those that are away."""

from typing import Any

import pytest
from django.test import Client

from crowdgame.maintenance.doctor.transparency import check_log
from crowdgame.results.transparency_log.submission import CheckpointSender, find_due_witnesses
from crowdgame.server.laptop.network import free_port
from tests.crowdgame.results.test_transparency_log import append
from voting.models import LogEntry, LogWitness
from voting.transparency.cosignatures import Cosigner
from voting.transparency.log import load_log
from voting.transparency.notes import COSIGNATURE_V1

KEY = str(Cosigner("witness.example", COSIGNATURE_V1, b"w" * 32).verifier_key)


@pytest.mark.django_db(transaction=True)
def test_unreachable_witness_stops_nothing(caplog: Any) -> None:
    append("0")
    LogWitness.objects.create(key=KEY, url=f"http://127.0.0.1:{free_port()}")
    sender = CheckpointSender()
    sender()
    assert sender.thread
    sender.thread.join(20)
    assert "witness.example did not cosign" in caplog.text
    first = sender.thread
    sender()
    assert sender.thread is first, "it waits before the next attempt"


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
