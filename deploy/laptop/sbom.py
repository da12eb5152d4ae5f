"""`make sbom`: write a CycloneDX bill of materials from the pinned Python and JavaScript packages.

Needs only the standard library and the lock files. The same pins give the same file.
"""

import base64
import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from crowdgame.server.laptop.paths import DATA, ROOT, display_path

Component = dict[str, Any]

DEFAULT_FILE = DATA / "sbom" / "crowdgame.cdx.json"
# CycloneDX scopes: "required" at run time, "optional", or "excluded" (needed for tests and builds only).
SCOPES = {
    "base": "required",
    "openspiel": "optional",
    "dev": "excluded",
    "build": "excluded",
    "node": "excluded",
    "solver": "excluded",
    "uv": "excluded",
}
PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^\s;\\]+)(?P<rest>(?:.*\\\n)*.*)", re.MULTILINE)
SHA256 = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def build_sbom(root: Path) -> dict[str, Any]:
    """Return the bill of materials of the source tree at `root`."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    found: dict[str, Component] = {}
    for component in (*_python_components(root), *_javascript_components(root)):
        found.setdefault(component["purl"], component)
    components = [found[purl] for purl in sorted(found)]
    purl = f"pkg:generic/{project['name']}@{project['version']}"
    described = {"type": "application", "bom-ref": purl, "purl": purl}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([purl, components])).urn,
        "version": 1,
        "metadata": {
            "component": described | {"name": project["name"], "version": project["version"]},
        },
        "components": components,
    }


def _python_components(root: Path) -> Iterator[Component]:
    for name, scope in SCOPES.items():
        for pin in PIN.finditer((root / "requirements" / f"{name}.txt").read_text()):
            hashes = [{"alg": "SHA-256", "content": content} for content in SHA256.findall(pin["rest"])]
            component = _component("pypi", pin["name"], pin["version"], scope)
            files = {"type": "distribution", "url": component["purl"], "hashes": hashes}
            yield component | {"externalReferences": [files]}


def _javascript_components(root: Path) -> Iterator[Component]:
    lock = json.loads((root / "frontend" / "package-lock.json").read_text())
    # Packages of the pages first: a package may be locked several times.
    for path, package in sorted(lock["packages"].items(), key=lambda one: bool(one[1].get("dev"))):
        if path:
            scope = "excluded" if package.get("dev") else "required"
            algorithm, _, digest = package["integrity"].partition("-")
            content = {"alg": algorithm.upper().replace("SHA", "SHA-"), "content": _hex(digest)}
            name = path.rpartition("node_modules/")[2]
            yield _component("npm", name, package["version"], scope) | {"hashes": [content]}


def _component(kind: str, name: str, version: str, scope: str) -> Component:
    purl = f"pkg:{kind}/{quote(name)}@{quote(version)}"
    described = {"type": "library", "bom-ref": purl, "purl": purl}
    return described | {"name": name, "version": version, "scope": scope}


def _hex(digest: str) -> str:
    return base64.b64decode(digest).hex()


def main(arguments: list[str]) -> None:
    """Write the file named by the argument, or DEFAULT_FILE."""
    path = Path(arguments[0]) if arguments else DEFAULT_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    made = build_sbom(ROOT)
    path.write_text(json.dumps(made, indent=1) + "\n")
    print(f"{display_path(path)}: {len(made['components'])} packages")


if __name__ == "__main__":
    main(sys.argv[1:])
