"""docs/generated/messages.md documents the whole protocol; docs/protocol.md agrees with it."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from crowdgame.server.laptop.paths import ROOT
from voting import protocol
from voting.gateway import socket
from voting.protocol import docstrings, markdown, method_constants, typescript

GUIDE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
# What looks like a message in the guide: a word, a full stop, a word.
MESSAGE_LIKE = re.compile(r"`([a-z_]+\.[a-z_]+)`")


def test_reference_is_fresh() -> None:
    reference = (ROOT / "docs" / "generated" / "messages.md").read_text(encoding="utf-8")
    assert markdown.render() == reference, "run `manage.py generate_protocol`"


@pytest.mark.parametrize("text", ["Attributes:\nno indentation: x", "Values:\n    no colon"])
def test_docstring_parser_rejects_stray_line(text: str) -> None:
    with pytest.raises(ValueError, match="no field or value"):
        docstrings.parse(f"What it is.\n\n{text}")


def test_renderer_rejects_undocumented_field() -> None:
    class Undocumented(msgspec.Struct):
        """A message.

        Attributes:
            one: Explained.
        """

        one: int
        two: int

    with pytest.raises(LookupError):
        markdown.render_struct(Undocumented)


def test_guide_names_only_known_messages_and_fields() -> None:
    """`turn.lot` is a field of a part."""
    structs = [*markdown.all_structs(), *get_args(protocol.Changes)]
    messages = {markdown.heading(struct) for struct in structs}
    fields = {field for struct in structs for field in struct.__struct_fields__}
    for name in set(MESSAGE_LIKE.findall(GUIDE)) - messages:
        assert set(name.split(".")) <= fields, name


def test_guide_states_limits() -> None:
    assert f"**{protocol.MAX_FRAME_BYTES} bytes**" in GUIDE
    assert f"**{socket.FRAME_BURST} frames at once and {socket.FRAMES_PER_SECOND:g} a second**" in GUIDE
    assert f"**{socket.JOIN_TIMEOUT_S:g} s**" in GUIDE


SOURCES = Path(__file__).parents[3] / "frontend" / "src"


def test_generated_typescript_is_up_to_date() -> None:
    assert (SOURCES / "protocol.ts").read_text(encoding="utf-8") == typescript.render()
    assert (SOURCES / "methods.ts").read_text(encoding="utf-8") == method_constants.render()
    captions = (SOURCES / "methodCaptions.ts").read_text(encoding="utf-8")
    assert captions == method_constants.render_captions()
