"""The project's settings with a secret, a data directory and a Valkey for the test run."""

import os
from pathlib import Path

from crowdgame.server.laptop.network import LOOPBACK, free_port
from tests.run_folder import run_folder

PROCESS = "PYTEST_XDIST_WORKER"  # set in pytest-xdist workers; each has its own subfolder
VALKEY_PORT = free_port()
OWN = run_folder() / os.environ.get(PROCESS, "")
OWN.mkdir(exist_ok=True)
os.environ["SECRET_KEY"] = "only-for-tests"
os.environ["CROWDGAME_DATA"] = str(OWN)
os.environ["REDIS_URL"] = f"redis://{LOOPBACK}:{VALKEY_PORT}/0"
os.environ["ALLOWED_HOSTS"] = "testserver,localhost"
os.environ["PUBLIC_URL"] = ""
os.environ["CONSOLE_RECHECK_S"] = "1"
os.environ["BALLOT_BOX_URL"] = ""

from crowdgame.settings import *  # noqa: E402, F403
from crowdgame.settings import DATA_DIR, DATABASES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
REDIS_TIMEOUT_S = 5.0  # on a busy machine
if not os.environ.get("DATABASE_URL"):
    DATABASES["default"]["TEST"] = {"NAME": str(Path(DATA_DIR) / "test.sqlite3")}
