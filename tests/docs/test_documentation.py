"""The documentation agrees with the code: benchmarks, packages, pictures and recipes.

Each recipe of docs/contributing.md is followed literally: its patch makes the changes by hand.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from crowdgame.server.laptop.paths import ROOT
from tests.docs.pictures import IMAGES, linked_files
from tests.load.bench.report import PAGE

PERFORMANCE = ROOT / "docs" / "performance.md"
FIGURE = re.compile(r"[\d,.]*\d (?:ms|µs|KiB)")
HEADING = re.compile(r"^## (\d{4}-\d\d-\d\d)", re.MULTILINE)
GUIDE = (ROOT / "docs" / "contributing.md").read_text()
ROWS = GUIDE.split("## Package map")[1].split("| --- | --- |")[1].split("\n\n")[0]
PATCHES = Path(__file__).with_name("recipes")
SECTION = re.compile(r"^## (Add an? [a-z ]+)\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"```sh\n(.*?)```", re.DOTALL)
INSTALLED = (".venv", "frontend/dist", "frontend/node_modules/[!.]*", "frontend/node_modules/.bin")


def git(*words: str) -> str:
    return subprocess.check_output(["git", *words], cwd=ROOT, text=True)


def test_benchmarks_are_no_older_than_two_weeks_before_last_change() -> None:
    """If this fails, run `make bench` on an idle machine."""
    heading = HEADING.search(PAGE.read_text(encoding="utf-8"))
    assert heading, "no date in the benchmarks"
    measured = ("voting/gateway", "voting/ballot_box", "voting/turns")
    changed = git("log", "-1", "--format=%cs", "--", *measured).strip()
    assert datetime.fromisoformat(changed) - datetime.fromisoformat(heading[1]) <= timedelta(days=14)


def test_results_are_those_of_the_published_run() -> None:
    page, performance = (path.read_text(encoding="utf-8") for path in (PAGE, PERFORMANCE))
    results = performance.partition("## Results")[2].partition("\n## ")[0]
    tables = "\n".join(line for line in results.splitlines() if line.startswith("|"))
    assert (quoted := FIGURE.findall(tables))
    assert [figure for figure in quoted if f"| {figure} |" not in page] == []


def named_packages() -> Iterator[str]:
    """Yield the packages of the map. A row such as "`play/chat/`, `cups/`" names two of one folder."""
    for row in ROWS.strip().splitlines():
        first, *more = (name.strip("` /") for name in row.split("|")[1].split(","))
        yield from (first, *(name if "/" in name else f"{first.rpartition('/')[0]}/{name}" for name in more))


def packages(folder: Path) -> Iterator[str]:
    """Yield the packages with modules, but not those inside them."""
    for init in folder.glob("*/__init__.py"):
        if init.parent.name in {"management", "migrations"}:
            continue
        if len(list(init.parent.glob("*.py"))) > 1:
            yield str(init.parent.relative_to(ROOT))
        else:
            yield from packages(init.parent)


@pytest.mark.parametrize("top", ["crowdgame", "voting", "games"])
def test_package_map_names_every_package(top: str) -> None:
    assert {*packages(ROOT / top)} - {*named_packages()} == set()


def test_linked_pictures_are_the_files_of_the_images_folder_and_small() -> None:
    assert linked_files() == {path for path in IMAGES.rglob("*") if path.is_file()}
    for path in linked_files():
        is_animated = b"ANIM" in path.read_bytes()[:64]  # a chunk of WebP files
        assert path.stat().st_size <= (1_000_000 if is_animated else 100_000), path


def read_recipes() -> dict[str, str]:
    """Return the commands of each recipe by the name of its patch."""
    sections = SECTION.findall(GUIDE)
    return {title.lower().replace(" ", "-"): "".join(COMMANDS.findall(text)) for title, text in sections}


def copy_tree(target: Path) -> None:
    """Copy the sources, and link what `make` has installed."""
    sources = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    catalogs = [str(path.relative_to(ROOT)) for path in ROOT.glob("locale/**/*.mo")]
    for name in filter(lambda name: (ROOT / name).is_file(), [*sources, *catalogs]):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)
    for installed in (path for pattern in INSTALLED for path in ROOT.glob(pattern)):
        link = target / installed.relative_to(ROOT)
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(installed)


def test_every_recipe_has_commands_and_a_patch() -> None:
    recipes = read_recipes()
    assert sorted(recipes) == sorted(path.stem for path in PATCHES.iterdir())
    assert all(recipes.values())


@pytest.mark.parametrize("patch", sorted(PATCHES.iterdir()), ids=lambda patch: patch.stem)
def test_patch_applies_to_the_current_sources(patch: Path) -> None:
    git("apply", "--check", str(patch))


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(read_recipes()))
def test_recipe_passes_its_own_checks(name: str, tmp_path: Path) -> None:
    copy_tree(tmp_path)
    env = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "PYTHON": "true",  # nothing is left to install
        "MYPY_CACHE_DIR": str(ROOT / ".mypy_cache"),
        "GIT_CEILING_DIRECTORIES": str(tmp_path.parent),
    }
    script = f"git apply {PATCHES / name}.patch\n{read_recipes()[name]}"
    argv = ["sh", "-exc", script]
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
