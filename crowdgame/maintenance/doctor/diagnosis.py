"""All checks of `manage.py doctor`."""

from collections.abc import Callable, Iterator

from django.db import DatabaseError
from kombu.exceptions import OperationalError as BrokerError

from crowdgame.maintenance.doctor import machine, plugins, processes, site, stores, transparency
from crowdgame.maintenance.doctor.finding import Finding, not_visible
from voting.ballot_box.stores import STORE_ERRORS

CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "settings": site.check_settings,
    "plug-ins": plugins.check_plugins,
    "services": site.check_services,
    "store": stores.check_stores,
    "database": stores.check_database,
    "clocks": stores.check_clocks,
    "time": machine.check_time,
    "workers": processes.check_workers,
    "processes": processes.check_processes,
    "public address": site.check_public_address,
    "static files": site.check_static_files,
    "e-mail": site.check_mail,
    "transparency log": transparency.check_log,
    "disk": machine.check_disk,
    "backups": machine.check_backups,
    "kernel": machine.check_kernel,
    "nginx": machine.check_nginx,
}


def diagnose() -> Iterator[tuple[str, list[Finding]]]:
    """Yield the findings of each check."""
    for name, check in CHECKS.items():
        yield name, list(run_check(check))


def run_check(check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield the findings of a check. The rest is not visible if a service is away or lacks migrations."""
    try:
        yield from check()
    except (*STORE_ERRORS, DatabaseError, BrokerError) as error:
        yield not_visible(f"not checked: {error}", "Correct the other findings first.")
