"""Periodic jobs of the deadline scheduler. There is no Celery beat schedule and no crontab.

A feature registers its own jobs, usually when Django starts.

A job that runs hourly returns an iterator. The scheduler takes one step of it a second, so that no deadline
waits for it.
"""

from collections.abc import Callable, Iterator
from itertools import chain

Job = Callable[[], Iterator[object]]

_each_second: dict[str, Callable[[], object]] = {}
_hourly: dict[str, Job] = {}


def every_second(name: str, job: Callable[[], object]) -> None:
    """Run `job` about once a second. A failure is logged under `name` and delays no other job."""
    _each_second[name] = job


def every_hour(name: str, job: Job) -> None:
    """Start `job` once an hour and take a step of it a second. Registering a name again replaces its job."""
    _hourly[name] = job


def jobs_each_second() -> dict[str, Callable[[], object]]:
    return dict(_each_second)


def hourly_steps() -> Iterator[object]:
    """The steps of all hourly jobs, one job after the other."""
    return chain.from_iterable(job() for job in _hourly.values())
