"""The bill of materials lists exactly the packages in the lock files, with their hashes."""

import base64
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from crowdgame.server.laptop.paths import ROOT

LOCK = ROOT / "frontend" / "package-lock.json"
LOCKS = ("build", "dev", "node", "openspiel", "solver", "uv", "base")


def write_sbom(path: Path) -> dict[str, Any]:
    subprocess.run([sys.executable, "-m", "deploy.laptop.sbom", str(path)], cwd=ROOT, check=True)
    made: dict[str, Any] = json.loads(path.read_text())
    return made


@pytest.fixture(scope="module")
def sbom(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return write_sbom(tmp_path_factory.mktemp("sbom") / "sbom.cdx.json")


def pins(name: str) -> dict[str, set[str]]:
    """The hashes by package URL of a requirements file."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text().replace("\\\n", " ")
    found = {}
    for line in filter(None, text.splitlines()):
        requirement = Requirement(line.partition(" --hash")[0])
        version = str(requirement.specifier).removeprefix("==")
        found[f"pkg:pypi/{requirement.name}@{version}"] = set(re.findall(r"sha256:(\w+)", line))
    return found


def locked(*, dev: bool) -> dict[str, str]:
    """The integrity by package URL of the JavaScript packages."""
    packages = json.loads(LOCK.read_text())["packages"]
    return {
        f"pkg:npm/{path.rpartition('node_modules/')[2].replace('@', '%40')}@{package['version']}": package[
            "integrity"
        ]
        for path, package in packages.items()
        if path and bool(package.get("dev")) == dev
    }


def scope(sbom: dict[str, Any], *scopes: str) -> set[str]:
    return {one["purl"] for one in sbom["components"] if one["scope"] in scopes}


def test_sbom_is_cyclonedx_of_this_version(sbom: dict[str, Any]) -> None:
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version
    assert (sbom["bomFormat"], sbom["specVersion"], sbom["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", sbom["serialNumber"])
    assert sbom["metadata"]["component"]["version"] == version[1]
    assert len({one["bom-ref"] for one in sbom["components"]}) == len(sbom["components"])
    for one in sbom["components"]:
        assert {"type", "name", "version", "purl", "bom-ref", "scope"} <= one.keys()


def test_sbom_lists_every_pinned_package_by_scope(sbom: dict[str, Any]) -> None:
    assert scope(sbom, "required") == pins("base").keys() | locked(dev=False).keys()
    assert scope(sbom, "optional") == pins("openspiel").keys() - pins("base").keys()
    every = {purl for name in LOCKS for purl in pins(name)}
    assert scope(sbom, "required", "optional", "excluded") == (
        every | locked(dev=False).keys() | locked(dev=True).keys()
    )


def test_sbom_has_the_hashes_of_the_lock_files(sbom: dict[str, Any]) -> None:
    python = {purl: hashes for name in LOCKS for purl, hashes in pins(name).items()}
    javascript = locked(dev=True) | locked(dev=False)
    for one in sbom["components"]:
        if one["purl"] in python:
            [files] = one["externalReferences"]
            assert {found["content"] for found in files["hashes"]} == python[one["purl"]] != set()
        else:
            [found] = one["hashes"]
            integrity = f"sha512-{base64.b64encode(bytes.fromhex(found['content'])).decode()}"
            assert (found["alg"], integrity) == ("SHA-512", javascript[one["purl"]])


def test_sbom_of_the_same_pins_is_the_same(sbom: dict[str, Any], tmp_path: Path) -> None:
    assert write_sbom(tmp_path / "again.json") == sbom
