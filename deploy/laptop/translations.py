"""Compile the catalogs of the pages, `locale/*/LC_MESSAGES/django.po`, for Django."""

from crowdgame.server.laptop.paths import LOCALE_DIR
from crowdgame.server.laptop.stamps import Stamp, fingerprint
from crowdgame.server.laptop.steps import Step, run
from deploy.laptop import virtualenv

STAMP = LOCALE_DIR / ".stamp"


def compile_catalogs(python: str = str(virtualenv.PYTHON)) -> None:
    """Write each catalog's `.mo` file, unless no catalog has changed. `python` has Babel."""
    stamp = Stamp(STAMP, fingerprint(sorted(LOCALE_DIR.rglob("django.po"))))
    if stamp.is_fresh():
        return
    command = [python, "-m", "babel.messages.frontend", "compile", "--domain=django"]
    run(Step("compile the translations", [*command, f"--directory={LOCALE_DIR}"], "translations"))
    stamp.set()
