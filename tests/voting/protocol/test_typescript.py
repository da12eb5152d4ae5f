"""The generated TypeScript modules match the Python messages and voting methods."""

from pathlib import Path

from voting.protocol import method_constants, typescript

SOURCES = Path(__file__).parents[3] / "frontend" / "src"


def test_generated_typescript_is_up_to_date() -> None:
    assert (SOURCES / "protocol.ts").read_text(encoding="utf-8") == typescript.render()
    assert (SOURCES / "methods.ts").read_text(encoding="utf-8") == method_constants.render()
    captions = (SOURCES / "methodCaptions.ts").read_text(encoding="utf-8")
    assert captions == method_constants.render_captions()
