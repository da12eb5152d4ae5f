"""SVG rendering of a game's own drawing, for pages and print. Colors are in `paper.css`."""

from html import escape

from games.engine.game import Drawing, Mark, Side


def draw_drawing(drawing: Drawing, description: str) -> str:
    """Return the drawing as SVG; `description` is the text alternative."""
    things = "".join(_draw_mark(mark) for mark in drawing.marks)
    return (
        f'<svg class="drawing" viewBox="0 0 {drawing.width} {drawing.height}" role="img" '
        f'aria-label="{escape(description)}">{things}</svg>'
    )


def _draw_mark(mark: Mark) -> str:
    attributes = {
        "kind": mark.kind,
        "side": mark.side,
        "lit": mark.lit and "true",
        "gone": mark.gone and "true",
    }
    said = "".join(f' data-{name}="{value}"' for name, value in attributes.items() if value)
    return f'<g class="mark"{said} transform="translate({mark.x} {mark.y})">{_body(mark)}{_text(mark)}</g>'


def _body(mark: Mark) -> str:
    if mark.kind == "path":
        points = " ".join(f"{x},{y}" for x, y in mark.points)
        return f'<polyline points="{points}" stroke-width="{mark.width}"/>'
    if mark.kind == "ball":
        return _ball(mark.side, (0, 0), mark.width)
    return "" if mark.kind == "text" else _sheet(mark)


def _sheet(mark: Mark) -> str:
    """Return a block, or a card with its side's shape."""
    (x, y), size = (-mark.width / 2, -mark.height / 2), f'width="{mark.width}" height="{mark.height}"'
    sheet = f'<rect x="{x:g}" y="{y:g}" {size} rx="{min(mark.width, mark.height) / 8:g}"/>'
    if mark.kind == "block" or mark.side is None:
        return sheet
    return sheet + _ball(mark.side, (mark.width * 0.3, mark.height * 0.34), mark.width * 0.26)


def _ball(side: Side | None, at: tuple[float, float], size: float) -> str:
    x, y = at[0] - size / 2, at[1] - size / 2
    return f'<use href="#ball-{side}" x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}"/>'


def _text(mark: Mark) -> str:
    if not mark.text:
        return ""
    fits = mark.height if mark.kind == "text" else min(mark.height * 0.55, mark.width * 1.5 / len(mark.text))
    shown = escape(mark.text)
    return f'<text y="{fits * 0.35:.4g}" font-size="{fits:.4g}" text-anchor="middle">{shown}</text>'
