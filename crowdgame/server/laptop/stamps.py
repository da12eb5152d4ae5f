"""Skip a build step whose inputs have not changed since its last run."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def fingerprint(inputs: Iterable[Path], *words: str) -> str:
    """Return a SHA-256 hex digest of the files in `inputs`, with folders read recursively, and of `words`."""
    digest = hashlib.sha256("\0".join(words).encode())
    for top in inputs:
        for path in _files(top):
            content = hashlib.sha256(path.read_bytes()).digest()
            digest.update(f"{path.relative_to(top.parent)}\0".encode() + content)
    return digest.hexdigest()


def _files(top: Path) -> list[Path]:
    return sorted(path for path in (top.rglob("*") if top.is_dir() else [top]) if path.is_file())


class Stamp:
    """A file with the fingerprint of a step's inputs.

    Put it inside the step's output folder, so that deleting the output also deletes the stamp.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self._path = path
        self._fingerprint = fingerprint

    def is_fresh(self) -> bool:
        return self._path.is_file() and self._path.read_text() == self._fingerprint

    def set(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(self._fingerprint)
