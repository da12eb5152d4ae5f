"""Start a stack's processes in dependency order."""

import json
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import redis

from crowdgame.server.laptop.network import responds_to_http
from crowdgame.server.laptop.paths import EMPTY_DATABASE, PACKAGE, ROOT, SOURCE, display_path
from crowdgame.server.laptop.stack import MANAGE, Stack, analyzer, gateway, schedulers, valkey, workers
from crowdgame.server.laptop.stamps import Stamp, fingerprint
from crowdgame.server.laptop.steps import Step, StepFailed, run
from crowdgame.server.laptop.supervisor import Supervisor
from crowdgame.server.laptop.terminal import progress

MAX_DEATHS = 3  # of a child that never gets ready
POLL_S = 0.05


@dataclass(frozen=True)
class Links:
    """Addresses to print. Without a demo event, `code` and `display_url` are empty."""

    login_url: str
    phone_url: str
    code: str = ""
    display_url: str = ""


@contextmanager
def running_stack(stack: Stack) -> Iterator[Supervisor]:
    """Run a stack without a crowd. Yields once its pages answer; stops every process at the end.

    Raises StepFailed if a part does not start.
    """
    with Supervisor(stack.logs) as supervisor:
        start_ballot_box(stack, supervisor)
        migrate(stack)
        start_services(stack, supervisor)
        wait_for_pages(stack, supervisor)
        yield supervisor


def start_ballot_box(stack: Stack, supervisor: Supervisor) -> None:
    """Start Valkey, unless `redis_url` names one, and wait until it answers.

    Raises StepFailed if it keeps ending, or at once if the Valkey at `redis_url` does not answer.
    """
    if not stack.redis_url:
        supervisor.start(valkey(stack))
        wait_until_ready("start Valkey", ["valkey"], supervisor, lambda: _is_box_up(stack.redis))
    elif not _is_box_up(stack.redis):
        raise StepFailed(f"no response from {stack.redis}")


def start_services(stack: Stack, supervisor: Supervisor) -> None:
    """Start the gateways, workers, schedulers and the analyzer. Does not wait until they are ready."""
    start_gateways(stack, supervisor)
    start_workers(stack, supervisor)


def start_gateways(stack: Stack, supervisor: Supervisor) -> None:
    reset_metrics_dir(stack.metrics_dir)
    supervisor.start(*(gateway(stack, number) for number in range(1, stack.gateways + 1)))


def reset_metrics_dir(metrics_dir: Path) -> None:
    """Delete the metrics of the previous run, so that counters start at zero."""
    shutil.rmtree(metrics_dir, ignore_errors=True)
    metrics_dir.mkdir(parents=True)


def start_workers(stack: Stack, supervisor: Supervisor) -> None:
    supervisor.start(*workers(stack), *schedulers(stack), analyzer(stack))


def migrate(stack: Stack) -> None:
    """Apply the database migrations, unless this very database already has them. Raises StepFailed.

    With a wheel, a new SQLite file begins as a copy of the one that is included: migrating one takes seconds.
    """
    path = stack.data / "db.sqlite3"
    if EMPTY_DATABASE.is_file() and not (stack.database_url or path.exists()):
        with closing(sqlite3.connect(EMPTY_DATABASE)) as empty, closing(sqlite3.connect(path)) as new:
            empty.backup(new)
    applied = applied_migrations(stack)
    if not applied or not _migrated(stack, applied).is_fresh():
        manage(stack, "migrate the database", "migrate", "--skip-checks", "--refuse-newer")
        _migrated(stack, applied_migrations(stack)).set()


def _migrated(stack: Stack, applied: list[str]) -> Stamp:
    migrations = sorted(
        path for name in ("crowdgame", "voting") for path in (ROOT / name).glob("**/migrations")
    )
    return Stamp(stack.data / "migrated", _fingerprint(migrations, *applied))


def applied_migrations(stack: Stack) -> list[str]:
    """Return the migrations that the SQLite file records, with their times; none if there is no such file."""
    path = stack.data / "db.sqlite3"
    if stack.database_url or not path.is_file():
        return []
    with closing(sqlite3.connect(path)) as database, suppress(sqlite3.Error):
        return [str(row) for row in database.execute("SELECT app, name, applied FROM django_migrations")]
    return []


def collect_static(stack: Stack) -> None:
    """Run `collectstatic`, unless no source has changed. Raises StepFailed."""
    own = sorted(PACKAGE.glob("**/static"))
    stamp = Stamp(stack.data / "static" / ".stamp", _fingerprint([SOURCE / "frontend" / "dist", *own]))
    if not stamp.is_fresh():
        manage(stack, "collect static files", "collectstatic", "--noinput", "--clear")
        stamp.set()


def _fingerprint(sources: list[Path], *words: str) -> str:
    """Return the fingerprint of these sources, and of the installed packages and their versions."""
    installed = sorted(path.name for path in ROOT.glob("*.dist-info"))
    return fingerprint([*sources, ROOT / "requirements" / "base.txt"], *installed, *words)


def start_demo_event(stack: Stack) -> Links:
    """Run the demo event, creating it if missing. Raises StepFailed."""
    return _demo(stack, "start the demo event")


def stop_demo_event(stack: Stack) -> Links:
    """Stop the demo event of an earlier run, if there is one. Raises StepFailed."""
    return _demo(stack, "create the login link", "--stop")


def _demo(stack: Stack, title: str, *options: str) -> Links:
    """Run `manage.py demo`, which makes a new login link."""
    argv = [*MANAGE, "demo", "--json", "--fresh-login", *options]
    step = Step(title, argv, "demo", env=stack.env, logs=stack.logs, is_secret=True)
    output = json.loads(run(step).splitlines()[-1])
    return Links(**{field.name: output[field.name] for field in fields(Links) if field.name in output})


def wait_for_pages(stack: Stack, supervisor: Supervisor) -> None:
    """Wait until a gateway answers HTTP, however long it takes. Raises StepFailed if all keep ending."""
    responds = partial(responds_to_http, stack.address, stack.port)
    wait_until_ready("start the gateways", stack.gateway_names, supervisor, responds)


def wait_until_ready(
    title: str, names: Sequence[str], supervisor: Supervisor, is_ready: Callable[[], bool]
) -> None:
    """Wait for these children as long as one lives. Raises StepFailed if each has ended MAX_DEATHS times."""
    with progress(title):
        while not is_ready():
            if all(supervisor.deaths(name) >= MAX_DEATHS for name in names):
                log = display_path(supervisor.log(names[0]))
                raise StepFailed(f"{title}: {names[0]} ended {MAX_DEATHS} times (see {log})")
            time.sleep(POLL_S)


def manage(stack: Stack, title: str, command: str, *options: str) -> str:
    """Run a `manage.py` command to its end and return its last lines of output. Raises StepFailed."""
    return run(Step(title, [*MANAGE, command, *options], command, env=stack.env, logs=stack.logs))


def _is_box_up(url: str) -> bool:
    with redis.Redis.from_url(url, socket_connect_timeout=2, socket_timeout=2) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
