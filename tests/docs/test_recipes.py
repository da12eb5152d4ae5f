"""The recipes of docs/contributing.md. Each is followed literally: its patch makes the changes by hand."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from crowdgame.server.laptop.paths import ROOT

GUIDE = ROOT / "docs" / "contributing.md"
PATCHES = Path(__file__).with_name("recipes")
SECTION = re.compile(r"^## (Add an? [a-z ]+)\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"```sh\n(.*?)```", re.DOTALL)
INSTALLED = (".venv", "frontend/dist", "frontend/node_modules/[!.]*", "frontend/node_modules/.bin")


def read_recipes() -> dict[str, str]:
    """Return the commands of each recipe by the name of its patch."""
    sections = SECTION.findall(GUIDE.read_text())
    return {title.lower().replace(" ", "-"): "".join(COMMANDS.findall(text)) for title, text in sections}


def copy_tree(target: Path) -> None:
    """Copy the sources, and link what `make` has installed."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    sources = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
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
    subprocess.run(["git", "apply", "--check", patch], cwd=ROOT, check=True)


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
    done = subprocess.run(
        ["sh", "-exc", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
