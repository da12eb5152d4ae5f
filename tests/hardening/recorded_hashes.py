"""The product's settings for a process that records when each password hash begins and ends.

`hashes-PID` in the data folder has a `+` for each begin and a `-` for each end.
"""

import os
from typing import Any

from django.contrib.auth import hashers

from crowdgame.settings import *  # noqa: F403
from crowdgame.settings import DATA_DIR

_hashers: Any = hashers
_hash = _hashers.pbkdf2
_record = os.open(DATA_DIR / f"hashes-{os.getpid()}", os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def _recorded_hash(*args: Any, **kwargs: Any) -> Any:
    os.write(_record, b"+")
    try:
        return _hash(*args, **kwargs)
    finally:
        os.write(_record, b"-")


_hashers.pbkdf2 = _recorded_hash
