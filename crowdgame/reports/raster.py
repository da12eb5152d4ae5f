"""A program by itself: an SVG drawing in, a PNG picture out.

Drawing takes a moment in which no other thread of its process goes on, and ballots cannot wait for that.
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
