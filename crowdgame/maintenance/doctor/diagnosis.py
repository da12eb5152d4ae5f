"""All checks of `manage.py doctor`."""

from collections.abc import Callable, Iterator

from kombu.exceptions import OperationalError as BrokerError

from crowdgame.maintenance.doctor import machine, processes, site, stores, transparency
from crowdgame.maintenance.doctor.finding import Finding, not_visible
from voting.ballot_box.stores import STORE_ERRORS

CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "settings": site.check_settings,
    "services": site.check_services,
    "store": stores.check_stores,
    "clocks": stores.check_clocks,
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
    """Yield the findings of each check. A check whose service is away is not visible."""
    for name, check in CHECKS.items():
        try:
            yield name, list(check())
        except (*STORE_ERRORS, BrokerError) as error:
            yield name, [not_visible(f"not checked: {error}", "Correct the other findings first.")]
