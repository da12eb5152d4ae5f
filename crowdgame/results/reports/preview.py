"""SVG of a match's link preview: its board between both sides' balls. Pure.

The SVG renderer supports neither CSS custom properties nor media queries. So the pages' style sheets are
converted to plain rules.
"""

import re
from collections.abc import Iterator

from games.drawing.board_drawing import BALLS, ball, draw_board
from games.engine.game import SIDES, Board, Side

WIDTH, HEIGHT = 1200, 630
MARGIN, BALL = 30, 190
BOARD = f'x="240" y="{MARGIN}" width="720" height="{HEIGHT - 2 * MARGIN}"'
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BLOCK = re.compile(r"@[^{]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
TOKEN = re.compile(r"(--[\w-]+):\s*([^;]+);")
USED = re.compile(r"var\((--[\w-]+)(?:,\s*([^()]+))?\)")
DRAWN = re.compile(r"^(\.cabinet|circle|\.mark[\[ ]\S*|\.(shape|brass|engraved|rose)\b)")
OWN = "--own"


def draw_preview(board: Board, winner: Side | None, style: str) -> str:
    """Return the SVG. The loser's ball is dimmed. `style` must be plain rules, as from `plain_style`."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
        f"<style>{style}</style>{BALLS}"
        f'<rect class="night" width="{WIDTH}" height="{HEIGHT}"/>{"".join(_sides(winner))}'
        f"<svg {BOARD}>{draw_board(board, '')}</svg></svg>"
    )


def _sides(winner: Side | None) -> Iterator[str]:
    for side, x in zip(SIDES, (120, WIDTH - 120), strict=True):
        dim = ' opacity="0.3"' if winner not in (None, side) else ""
        place = f"translate({x} {HEIGHT / 2:g}) scale({BALL / 92:.4g})"
        yield f'<g transform="{place}"{dim}>{ball(side, 0, 0)}</g>'


def plain_style(sheets: str) -> str:
    """Return the rules for boards with all custom properties substituted.

    Rules that use a mark's own properties are repeated for each side.
    """
    text = BLOCK.sub("", COMMENT.sub("", sheets))
    tokens = dict(TOKEN.findall("".join(body for name, body in RULE.findall(text) if ":root" in name)))
    rules = {names.strip(): body for names, body in RULE.findall(text)}
    drawn = {names: body for names, body in rules.items() if DRAWN.search(names) and f"{OWN}:" not in body}
    plain = [f"{names} {{{_substitute(body, tokens)}}}" for names, body in drawn.items()]
    for side in SIDES:
        marked = f'.mark[data-side="{side}"]'
        own = tokens | dict(TOKEN.findall(rules[marked]))
        of_side = {names.replace(".mark", marked, 1): body for names, body in drawn.items() if OWN in body}
        plain += [f"{names} {{{_substitute(body, own)}}}" for names, body in of_side.items()]
    return f".night {{fill: {tokens['--night']}}} {' '.join(plain)}"


def _substitute(body: str, tokens: dict[str, str]) -> str:
    return USED.sub(lambda used: tokens.get(used[1], used[2] or "none"), body)
