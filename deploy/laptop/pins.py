"""`make lock`: pin the dependencies in pyproject.toml, by hash and for every platform, into requirements/."""

import subprocess
import sys
import tomllib

from deploy.laptop.paths import ROOT

PYPROJECT = ROOT / "pyproject.toml"
REQUIREMENTS_DIR = ROOT / "requirements"
COMPILE_COMMAND = (
    *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11"),
    *("--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate"),
)


def pin(name: str, *source: str, given: str | None = None) -> None:
    """Write requirements/`name`.txt with `uv pip compile`; `given` is its standard input.

    Raises CalledProcessError.
    """
    argv = [*COMPILE_COMMAND, *source, "--output-file", str(REQUIREMENTS_DIR / f"{name}.txt")]
    subprocess.run([*argv, *sys.argv[1:]], check=True, cwd=ROOT, input=given, text=True)


def main() -> None:
    """Write all lock files. Pinned versions that still fit are kept; `--upgrade` takes the newest."""
    uv = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv"]
    subprocess.run(uv, check=True)
    extras = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
    pin("base", "pyproject.toml")
    pin("dev", "--extra", "dev", "--constraint", str(REQUIREMENTS_DIR / "base.txt"), "pyproject.toml")
    pin("mutants", "--constraint", str(REQUIREMENTS_DIR / "dev.txt"), "-", given="\n".join(extras["mutants"]))
    pin("solver", "-", given="\n".join(extras["solver"]))
    pin("node", "-", given="\n".join(extras["node"]))
    # --no-deps: only OpenSpiel's learning algorithms need its dependencies, its games do not.
    pin("openspiel", "--no-deps", "-", given="\n".join(extras["openspiel"]))


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(failure.returncode)
