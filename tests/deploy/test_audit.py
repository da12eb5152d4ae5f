"""`make audit` reports success only if every set of pins was compared with an advisory list."""

import os
import subprocess
import sys

import pytest

from crowdgame.server.laptop.paths import ROOT
from deploy.laptop.audit import AuditResult, conclude

NOWHERE = "http://127.0.0.1:1/"
NO_NETWORK = {
    **{f"{kind}_proxy": NOWHERE for kind in ("http", "https", "all")},
    **{f"{kind}_PROXY": NOWHERE for kind in ("HTTP", "HTTPS", "ALL")},
    **dict.fromkeys(("UV_DEFAULT_INDEX", "npm_config_registry"), NOWHERE),
    **dict.fromkeys(("UV_CONFIG_FILE",), os.devnull),
    **dict.fromkeys(("no_proxy", "NO_PROXY"), ""),
    **dict.fromkeys(("UV_HTTP_RETRIES", "npm_config_fetch_retries"), "0"),
}
CLEAN, VULNERABLE, UNKNOWN = AuditResult


@pytest.mark.nightly
def test_audit_without_network_says_that_nothing_was_checked() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "deploy.laptop.audit"],
        cwd=ROOT,
        env={**os.environ, **NO_NETWORK},
        check=False,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == UNKNOWN
    assert ended.stdout.splitlines()[-1].startswith("✗ nothing was checked")
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("verdicts", "result", "line"),
    [
        ([CLEAN, CLEAN], CLEAN, "✓ no known vulnerabilities"),
        ([CLEAN, UNKNOWN], UNKNOWN, "✗ only part of the pins was checked"),
        ([UNKNOWN, UNKNOWN], UNKNOWN, "✗ nothing was checked"),
        ([UNKNOWN, VULNERABLE], VULNERABLE, "✗ known vulnerabilities found"),
    ],
)
def test_audit_concludes_from_its_verdicts(
    verdicts: list[AuditResult], result: AuditResult, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conclude(verdicts) is result
    assert capsys.readouterr().out.startswith(line)
