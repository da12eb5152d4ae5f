"""Whoever watches a house from outside: its health, its figures, its logs."""

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from tests.stack import House, running_house

PATIENCE_S = 10


@contextmanager
def watched_house(data: Path) -> Iterator[House]:
    """A house of two gateways, all of whose processes log in JSON."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOG_FORMAT", "json")
        with running_house(data, gateways=2) as house:
            yield house


def records(house: House, name: str) -> list[dict[str, Any]]:
    """What a process has logged; every line is a record."""
    return [json.loads(line) for line in house.log(name).splitlines()]


@dataclass(frozen=True)
class Told:
    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(house: House, path: str, headers: Mapping[str, str] | None = None, method: str = "GET") -> Told:
    connection = http.client.HTTPConnection(house.stack.address, house.stack.port, timeout=PATIENCE_S)
    connection.request(method, path, headers=dict(headers or {}))
    response = connection.getresponse()
    told = Told(response.status, response.read())
    connection.close()
    return told


def samples(text: bytes) -> list[Sample]:
    families = text_string_to_metric_families(text.decode())
    return [sample for family in families for sample in family.samples]


def figures(house: House) -> list[Sample]:
    told = ask(house, "/metrics")
    assert told.status == 200
    return samples(told.body)


def figure(house: House, name: str, **labels: str) -> float:
    """The sum of a figure over all that carry these labels."""
    found = [s.value for s in figures(house) if s.name == name and labels.items() <= s.labels.items()]
    assert found, f"there is no {name} {labels}"
    return sum(found)
