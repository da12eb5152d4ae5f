"""The generated TypeScript types match the Python messages."""

import re
from pathlib import Path
from typing import get_args

import pytest

from voting import protocol
from voting.protocol import method_constants
from voting.protocol.typescript import UNIONS, render

RENDERED = render()
SOURCES = Path(__file__).parents[3] / "frontend" / "src"


def interface(name: str) -> str:
    found = re.search(rf"^export interface {name} {{\n(.*?)^}}", RENDERED, re.DOTALL | re.MULTILINE)
    assert found, name
    return found[1]


def test_generated_typescript_is_up_to_date() -> None:
    assert (SOURCES / "protocol.ts").read_text(encoding="utf-8") == render()
    assert (SOURCES / "methods.ts").read_text(encoding="utf-8") == method_constants.render()
    captions = (SOURCES / "methodCaptions.ts").read_text(encoding="utf-8")
    assert captions == method_constants.render_captions()


@pytest.mark.parametrize("union", UNIONS)
def test_every_message_has_interface_with_type_tag(union: str) -> None:
    for message in get_args(vars(protocol)[union]):
        assert f'type: "{message.__struct_config__.tag}";' in interface(message.__name__)


def test_only_client_messages_have_optional_fields() -> None:
    assert "token?: string | null;" in interface("PhoneJoin")
    assert "sequence: number;" in interface("You")


def test_literals_are_referenced_by_name() -> None:
    assert "code: Refusal;" in interface("BallotRefused")
    assert "to_move: ReadonlyArray<Side>;" in interface("Turn")
    assert "export type Side =" in render()


def test_pairs_are_rendered_as_tuples() -> None:
    assert "connected: readonly [number, number];" in interface("TurnoutCounted")
    assert "lines: ReadonlyArray<ReadonlyArray<readonly [number, number]>>;" in interface("Resolution")


def test_close_codes_are_rendered_as_constants() -> None:
    assert "NO_SUCH_EVENT: 4502," in render()
