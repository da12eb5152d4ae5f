"""The documentation shows each picture of docs/images, and links no other."""

from pathlib import Path

from tests.docs.pictures import IMAGES, linked_files


def test_linked_pictures_are_the_files_of_the_images_folder() -> None:
    assert linked_files() == {path for path in IMAGES.rglob("*") if path.is_file()}


def test_pictures_are_small() -> None:
    assert {path.name for path in linked_files() if path.stat().st_size > limit_bytes(path)} == set()


def limit_bytes(path: Path) -> int:
    """Animated WebP files have an `ANIM` chunk."""
    return 1_000_000 if b"ANIM" in path.read_bytes()[:64] else 100_000
