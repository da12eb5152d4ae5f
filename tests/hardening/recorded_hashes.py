"""The product's settings for a process that records when each password hash begins (+) and ends (-)."""

import os
from typing import Any

from django.contrib.auth import hashers

from crowdgame.settings import *  # noqa: F403
from crowdgame.settings import DATA_DIR

module: Any = hashers
pbkdf2 = module.pbkdf2
record = os.open(DATA_DIR / "hashes", os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def recorded(*args: Any, **more: Any) -> Any:
    os.write(record, b"+")
    hashed = pbkdf2(*args, **more)
    os.write(record, b"-")
    return hashed


module.pbkdf2 = recorded
