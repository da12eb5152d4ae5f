"""Run both verifiers on a record: `manage.py verify` and the standalone docs/verify.py."""

import json
from contextlib import redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command

from tests.voting.sample_matches import Record

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "verify.py"


spec = spec_from_file_location("standalone", SCRIPT)
assert spec is not None
assert spec.loader is not None
standalone: Any = module_from_spec(spec)
spec.loader.exec_module(standalone)


def ours(record: Any, path: Path) -> tuple[int, str]:
    path.write_bytes(record if isinstance(record, bytes) else json.dumps(record).encode())
    out = StringIO()
    try:
        call_command("verify", str(path), stdout=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    except CommandError as refusal:
        return refusal.returncode, str(refusal)
    return 0, out.getvalue()


def theirs(record: Any, path: Path) -> tuple[int, str]:
    path.write_bytes(record if isinstance(record, bytes) else json.dumps(record).encode())
    with redirect_stdout(StringIO()) as output:
        return standalone.main([str(path)]), output.getvalue()


def verdicts(record: Any, folder: Path) -> list[tuple[int, str]]:
    return [verifier(record, folder / "record.json") for verifier in (ours, theirs)]


def verify(record: Record, folder: Path) -> str:
    (code, text), (_, other) = verdicts(record, folder)
    assert (code, text) == (0, other)
    return text
