"""The project's settings, with a secret, a data directory and a Valkey of the test run's own."""

import os
import tempfile
from pathlib import Path

from deploy.laptop.network import LOOPBACK, free_port

VALKEY_PORT = free_port()
os.environ["SECRET_KEY"] = "only-for-tests"
os.environ["CROWDGAME_DATA"] = tempfile.mkdtemp(prefix="crowdgame-tests-")
os.environ["REDIS_URL"] = f"redis://{LOOPBACK}:{VALKEY_PORT}/0"
os.environ["ALLOWED_HOSTS"] = "testserver,localhost"
os.environ["PUBLIC_URL"] = ""

from crowdgame.settings import *  # noqa: E402, F403
from crowdgame.settings import DATA_DIR, DATABASES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES["default"]["TEST"] = {"NAME": str(Path(DATA_DIR) / "test.sqlite3")}
