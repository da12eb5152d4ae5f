"""Standalone program: converts SVG on stdin to PNG on stdout.

Rendering blocks all threads of its process. It runs in a subprocess, so that it doesn't delay ballots.
"""

import sys
from pathlib import Path

import resvg_py

FONTS = (Path(__file__).parents[2] / "events" / "printing" / "fonts").glob("Noto*.ttf")


def main() -> None:
    picture = resvg_py.svg_to_bytes(
        svg_string=sys.stdin.read(), skip_system_fonts=True, font_files=sorted(map(str, FONTS))
    )
    sys.stdout.buffer.write(picture)


if __name__ == "__main__":
    main()
