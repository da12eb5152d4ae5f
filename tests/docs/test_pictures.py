"""The documentation shows each picture of docs/images, and links no other."""

from tests.docs.pictures import IMAGES, linked_files

LIMIT_BYTES = 100_000


def test_linked_pictures_are_the_files_of_the_images_folder() -> None:
    assert linked_files() == {path for path in IMAGES.rglob("*") if path.is_file()}


def test_pictures_are_small() -> None:
    assert {path.name for path in linked_files() if path.stat().st_size > LIMIT_BYTES} == set()
