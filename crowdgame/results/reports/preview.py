"""SVG of a match's link preview: its title, and its board between both sides' balls and names. Pure.

The SVG renderer supports neither CSS custom properties nor media queries. So the pages' style sheets are
converted to plain rules.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from textwrap import wrap
from unicodedata import east_asian_width

from games.drawing.board_drawing import BALLS, ball, draw_board
from games.engine.game import SIDES, Board, Side

WIDTH, HEIGHT = 1200, 630
MARGIN, BALL = 30, 170
BOARD = f'x="310" y="110" width="580" height="{HEIGHT - 110 - MARGIN}"'
SIDE_X, BALL_Y, NAME_Y = 160, 240, 385
TITLE_SIZE, TITLE_WIDTH = 54, WIDTH - 2 * MARGIN
NAME_SIZE, NAME_WIDTH, LINE_LENGTH = 32, 250, 16
# About the widths of wide, capital and other letters, in font sizes.
WIDE, CAPITAL, OTHER = 1.0, 0.95, 0.6
# The renderer garbles lines in which it has to find another font itself.
OTHER_FAMILIES = {
    family: re.compile(f"[{letters}]+")
    for family, letters in {
        "Noto Sans Arabic": "\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc",
        "Noto Sans KR Thin": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
        "Noto Sans SC": "\u2e80-\u30ff\u3400-\u9fff\uff00-\uffef",
        "Noto Emoji": "\u2600-\u27bf\U0001f000-\U0001faff",
    }.items()
}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BLOCK = re.compile(r"@[^{]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
TOKEN = re.compile(r"(--[\w-]+):\s*([^;]+);")
USED = re.compile(r"var\((--[\w-]+)(?:,\s*([^()]+))?\)")
DRAWN = re.compile(r"^(\.cabinet|circle|\.mark[\[ ]\S*|\.(shape|brass|engraved|rose)\b)")
OWN = "--own"


def draw_preview(board: Board, winner: Side | None, style: str, title: str, teams: Mapping[Side, str]) -> str:
    """Return the SVG. The loser's ball is dimmed. `style` must be plain rules, as from `plain_style`."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="Noto Sans">'
        f"<style>{style}</style>{BALLS}"
        f'<rect class="night" width="{WIDTH}" height="{HEIGHT}"/>{"".join(_sides(winner, teams))}'
        f"{_write([title], WIDTH / 2, 75, TITLE_SIZE, TITLE_WIDTH)}"
        f"<svg {BOARD}>{draw_board(board, '')}</svg></svg>"
    )


def _sides(winner: Side | None, teams: Mapping[Side, str]) -> Iterator[str]:
    for side, x in zip(SIDES, (SIDE_X, WIDTH - SIDE_X), strict=True):
        dim = ' opacity="0.3"' if winner not in (None, side) else ""
        place = f"translate({x} {BALL_Y}) scale({BALL / 92:.4g})"
        yield f'<g transform="{place}"{dim}>{ball(side, 0, 0)}</g>'
        length = LINE_LENGTH // 2 if any(map(_is_wide, teams[side])) else LINE_LENGTH
        yield _write(wrap(teams[side], length), x, NAME_Y, NAME_SIZE, NAME_WIDTH)


def _write(lines: Sequence[str], x: float, y: float, size: float, width: float) -> str:
    """Return centered lines of text, all as small as the longest needs to be."""
    size = min([size, *(width / _measure(line) for line in lines)])
    return "".join(
        f'<text class="words" x="{x:g}" y="{y + 1.25 * size * number:g}" font-size="{size:.4g}" '
        f'font-weight="700" text-anchor="middle">{_select_fonts(line)}</text>'
        for number, line in enumerate(lines)
    )


def _select_fonts(line: str) -> str:
    text = escape(line)
    for family, run in OTHER_FAMILIES.items():
        text = run.sub(rf'<tspan font-family="{family}">\g<0></tspan>', text)
    return text


def _measure(line: str) -> float:
    return sum(WIDE if _is_wide(char) else CAPITAL if char.isupper() else OTHER for char in line)


def _is_wide(char: str) -> bool:
    return east_asian_width(char) in "WF"


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
    words = f".night {{fill: {tokens['--night']}}} .words {{fill: {tokens['--on-night']}}}"
    return f"{words} {' '.join(plain)}"


def _substitute(body: str, tokens: dict[str, str]) -> str:
    return USED.sub(lambda used: tokens.get(used[1], used[2] or "none"), body)
