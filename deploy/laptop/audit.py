"""`make audit`: are the pinned packages free of known holes? Asks the advisory lists of PyPI, OSV and npm.

Ends with 0 only if a list was asked and knew nothing, with 1 if it knew a hole, with 2 if a kind of
packages could not be checked: an audit that did not take place is no good news.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

from deploy.laptop.paths import ROOT
from deploy.laptop.virtualenv import BIN

PINS = ("base", "dev", "node")
LISTS = ("pypi", "osv")
PIP_AUDIT = "pip-audit~=2.10"
WITHIN_S = 300


class Verdict(IntEnum):
    """The larger, the more has to be said."""

    CLEAN = 0
    HOLES = 1
    UNKNOWN = 2


def main() -> int:
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "uv"], check=True)
    verdicts = [_python(name) for name in PINS] + [_javascript()]
    if Verdict.HOLES in verdicts:
        print("✗ there are known holes: make lock ARGS=--upgrade, then the tests")
        return Verdict.HOLES
    if Verdict.UNKNOWN in verdicts:
        print("✗ not all was checked: no advisory list is to be reached from here. Try from another network.")
        return Verdict.UNKNOWN
    print("✓ no known holes")
    return Verdict.CLEAN


def _python(name: str) -> Verdict:
    for source in LISTS:
        asked = ["--vulnerability-service", source, "--disable-pip", "--require-hashes", "--format", "json"]
        pins = ["--requirement", str(ROOT / "requirements" / f"{name}.txt"), "--progress-spinner", "off"]
        result = _run([sys.executable, "-m", "uv", "tool", "run", PIP_AUDIT, *asked, *pins])
        verdict = _read(result, "dependencies")
        if verdict is not Verdict.UNKNOWN:
            return _say(f"requirements/{name}.txt by {source}", verdict, result)
    return _say(f"requirements/{name}.txt", Verdict.UNKNOWN, result)


def _javascript() -> Verdict:
    result = _run(["npm", "audit", "--json"], cwd=ROOT / "frontend")
    return _say("frontend/package-lock.json by npm", _read(result, "auditReportVersion"), result)


def _read(result: "subprocess.CompletedProcess[str]", proof: str) -> Verdict:
    """A report with `proof` in it is one; its exit status says whether it tells of holes."""
    try:
        report = json.loads(result.stdout)
    except ValueError:
        return Verdict.UNKNOWN
    if proof not in report or any("skip_reason" in one for one in report.get("dependencies", ())):
        return Verdict.UNKNOWN
    return Verdict.CLEAN if result.returncode == 0 else Verdict.HOLES


def _say(what: str, verdict: Verdict, result: "subprocess.CompletedProcess[str]") -> Verdict:
    print(f"{what}: {verdict.name.lower()}")
    if verdict is Verdict.HOLES:
        print(result.stdout)
    elif verdict is Verdict.UNKNOWN:
        print("  " + "\n  ".join((result.stderr or result.stdout).strip().splitlines()[-2:]))
    return verdict


def _run(argv: Sequence[str], cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
    try:
        return subprocess.run(
            argv, cwd=cwd, env=env, check=False, capture_output=True, text=True, timeout=WITHIN_S
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        return subprocess.CompletedProcess(argv, Verdict.UNKNOWN, "", str(failure))


if __name__ == "__main__":
    sys.exit(main())
