"""Codes in the spellings that people type or paste; `typedCode.test.ts` reads the same file."""

import json
from pathlib import Path

import pytest

from voting.typed_codes import normalize_code

CASES = json.loads(Path(__file__).with_name("typed_codes.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("code", "typed"), [(code, typed) for code, every in CASES.items() for typed in every]
)
def test_normalize_code_accepts_typed_and_pasted_spellings(code: str, typed: str) -> None:
    assert normalize_code(typed) == code
