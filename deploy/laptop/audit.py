"""`make audit`: check the pinned packages against the vulnerability advisories of PyPI, OSV and npm.

Exit status: 0 if every set of pins was checked and is clean, 1 if a vulnerability is known, 2 if a set could
not be checked. An audit that did not take place never counts as clean.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

from crowdgame.server.laptop.paths import ROOT
from deploy.laptop.virtualenv import BIN

REQUIREMENTS = ("base", "dev", "build", "node", "openspiel", "solver", "uv")
ADVISORY_SOURCES = ("pypi", "osv")
PIP_AUDIT = "pip-audit~=2.10"
AUDIT_TIMEOUT_S = 300


class AuditResult(IntEnum):
    """The result for one set of pins; its value is the exit status."""

    CLEAN = 0
    VULNERABLE = 1
    UNKNOWN = 2


def main() -> int:
    """Check all pins, print the results and return the exit status (an AuditResult)."""
    return conclude([_audit_python(name) for name in REQUIREMENTS] + [_audit_javascript()])


def conclude(verdicts: Sequence[AuditResult]) -> AuditResult:
    """Print the result of all sets of pins and return it."""
    if AuditResult.VULNERABLE in verdicts:
        print("✗ known vulnerabilities found. Run make lock ARGS=--upgrade, then the tests.")
        return AuditResult.VULNERABLE
    if AuditResult.UNKNOWN in verdicts:
        checked = "only part of the pins" if AuditResult.CLEAN in verdicts else "nothing"
        print(f"✗ {checked} was checked: no list of advisories could be reached. Try another network.")
        return AuditResult.UNKNOWN
    print("✓ no known vulnerabilities")
    return AuditResult.CLEAN


def _audit_python(name: str) -> AuditResult:
    for source in ADVISORY_SOURCES:
        asked = ["--vulnerability-service", source, "--disable-pip", "--require-hashes", "--format", "json"]
        pins = ["--requirement", str(ROOT / "requirements" / f"{name}.txt"), "--progress-spinner", "off"]
        result = _run(["uv", "tool", "run", PIP_AUDIT, *asked, *pins])
        verdict = _parse_report(result, "dependencies")
        if verdict is not AuditResult.UNKNOWN:
            return _print_result(f"requirements/{name}.txt ({source})", verdict, result)
    return _print_result(f"requirements/{name}.txt", AuditResult.UNKNOWN, result)


def _audit_javascript() -> AuditResult:
    result = _run(["npm", "audit", "--json"], cwd=ROOT / "frontend")
    return _print_result(
        "frontend/package-lock.json (npm)", _parse_report(result, "auditReportVersion"), result
    )


def _parse_report(result: "subprocess.CompletedProcess[str]", proof: str) -> AuditResult:
    """Read a tool's JSON report: the exit status says whether it lists vulnerabilities.

    UNKNOWN if the output is not JSON, lacks the key `proof`, or skipped a package.
    """
    try:
        report = json.loads(result.stdout)
    except ValueError:
        return AuditResult.UNKNOWN
    if proof not in report or any("skip_reason" in one for one in report.get("dependencies", ())):
        return AuditResult.UNKNOWN
    return AuditResult.CLEAN if result.returncode == 0 else AuditResult.VULNERABLE


def _print_result(what: str, verdict: AuditResult, result: "subprocess.CompletedProcess[str]") -> AuditResult:
    print(f"{what}: {verdict.name.lower()}")
    if verdict is AuditResult.VULNERABLE:
        print(result.stdout)
    elif verdict is AuditResult.UNKNOWN:
        print("  " + "\n  ".join((result.stderr or result.stdout).strip().splitlines()[-2:]))
    return verdict


def _run(argv: Sequence[str], cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
    try:
        return subprocess.run(
            argv, cwd=cwd, env=env, check=False, capture_output=True, text=True, timeout=AUDIT_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        return subprocess.CompletedProcess(argv, AuditResult.UNKNOWN, "", str(failure))


if __name__ == "__main__":
    sys.exit(main())
