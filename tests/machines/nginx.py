"""A real nginx for a test: the server's configuration, on loopback, without root rights."""

import os
import re
import shutil
import ssl
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from crowdgame.server.laptop.network import LOOPBACK, free_port, wait_for_http
from crowdgame.server.laptop.paths import ROOT
from deploy.laptop.system_tools import find_server
from tests.machines.postgres import without_root_rights

SERVER = ROOT / "deploy" / "server"
NOBODY, NOBODY_GROUP = "nobody", "nogroup"
WITHIN_S = 10
KINDS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Nginx(NamedTuple):
    """`folder` holds its certificate and its log. `port` redirects to `tls_port`, if that is not 0."""

    folder: Path
    port: int
    tls_port: int

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    @property
    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.folder / "fullchain.pem")


@contextmanager
def running_nginx(
    gateways: Sequence[int],
    *,
    pages: int = 0,
    tls: bool = False,
    others: str = "",
    spoil: Callable[[Path], object] = lambda _folder: None,
) -> Iterator[Nginx]:
    """Run nginx in front of the `gateways` and of the one for `pages`, which need not run yet.

    `others` are the upstream lines of other machines. `spoil` may change its files before it starts.
    """
    folder = Path(tempfile.mkdtemp(prefix="crowdgame-nginx-"))
    nginx = Nginx(folder, free_port(), free_port() if tls else 0)
    try:
        if tls:
            _make_certificate(folder)
        if os.geteuid() == 0:
            shutil.chown(folder, NOBODY)
        (folder / "nginx.conf").write_text(_configuration(nginx, gateways, pages or gateways[0], others))
        spoil(folder)
        with _running(folder):
            assert wait_for_http(LOOPBACK, nginx.port, WITHIN_S), nginx.log
            yield nginx
    finally:
        shutil.rmtree(folder)


def upstreams(gateways: Sequence[int]) -> str:
    """The upstream lines, as `install.sh` writes them."""
    return "\n".join(f"server {LOOPBACK}:{port} max_fails=0;" for port in gateways)


def pages_upstreams(pages: int, gateways: Sequence[int]) -> str:
    backups = [f"server {LOOPBACK}:{port} max_fails=0 backup;" for port in gateways]
    return f"server {LOOPBACK}:{pages} max_fails=1 fail_timeout=2s;\n        " + "\n".join(backups)


def render(upstreams: str, pages: str, listen: str) -> str:
    """The template as `envsubst` fills it in, on a server or in nginx's container."""
    template = (SERVER / "nginx.conf").read_text()
    template = template.replace("${UPSTREAMS}", upstreams).replace("${PAGES}", pages)
    return template.replace("${LISTEN}", listen)


def _configuration(nginx: Nginx, gateways: Sequence[int], pages: int, others: str) -> str:
    paths = [f"{kind}_temp_path {nginx.folder / kind};" for kind in KINDS]
    listen = _tls(nginx) if nginx.tls_port else f"listen {LOOPBACK}:{nginx.port} backlog=65535;"
    here = "\n".join([upstreams(gateways), others])
    return render(here, pages_upstreams(pages, gateways), "\n".join([listen, *paths]))


def _tls(nginx: Nginx) -> str:
    config = (SERVER / "tls.conf").read_text().replace("/etc/crowdgame/tls", str(nginx.folder))
    config = re.sub(r"listen \[::\].*\n", "", config)
    config = config.replace("listen 80 ", f"listen {LOOPBACK}:{nginx.port} ")
    return config.replace("listen 443 ", f"listen {LOOPBACK}:{nginx.tls_port} ")


def _make_certificate(folder: Path) -> None:
    names = ["-subj", "/CN=localhost", "-addext", f"subjectAltName=IP:{LOOPBACK}"]
    files = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    subprocess.run(["openssl", "req", "-x509", *kind, *names, *files], check=True, capture_output=True)
    for file in ("privkey.pem", "fullchain.pem"):
        (folder / file).chmod(0o644)


@contextmanager
def _running(folder: Path) -> Iterator[None]:
    here = f"daemon off; pid {folder / 'nginx.pid'};"
    program = find_server("nginx")
    assert program is not None, "there is no nginx on this machine: make test-deploy installs it"
    argv = [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr", "-g", here]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(without_root_rights(argv, NOBODY, NOBODY_GROUP), stdout=log, stderr=log) as process,
    ):
        try:
            yield
        finally:
            process.terminate()
            process.wait(WITHIN_S)
