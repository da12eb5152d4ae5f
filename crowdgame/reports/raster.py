"""Standalone program: converts SVG on stdin to PNG on stdout.

Rendering blocks all threads of its process. It runs in a subprocess, so that it doesn't delay ballots.
"""

import sys
from tempfile import NamedTemporaryFile

import pymupdf_fonts
import resvg_py

TYPE = "notosbo"


def main() -> None:
    with NamedTemporaryFile(suffix=".ttf") as type_file:
        type_file.write(pymupdf_fonts.myfont(TYPE))
        type_file.flush()
        picture = resvg_py.svg_to_bytes(
            svg_string=sys.stdin.read(), skip_system_fonts=True, font_files=[type_file.name]
        )
    sys.stdout.buffer.write(picture)


if __name__ == "__main__":
    main()
