"""A board that its game drew as an SVG drawing, for pages and paper. Its colours are in `paper.css`."""

from html import escape

from games.engine.game import Drawing, Mark


def draw_drawing(drawing: Drawing, told: str) -> str:
    """`told` is the drawing in words."""
    things = "".join(_thing(mark) for mark in drawing.marks)
    return (
        f'<svg class="drawing" viewBox="0 0 {drawing.width} {drawing.height}" role="img" '
        f'aria-label="{escape(told)}">{things}</svg>'
    )


def _thing(mark: Mark) -> str:
    told = {"kind": mark.kind, "side": mark.side, "lit": mark.lit, "gone": mark.gone}
    said = "".join(f' data-{name}="{value}"' for name, value in told.items() if value)
    return f'<g class="mark"{said} transform="translate({mark.x} {mark.y})">{_body(mark)}{_text(mark)}</g>'


def _body(mark: Mark) -> str:
    x, y = -mark.width / 2, -mark.height / 2
    size = f'x="{x:g}" y="{y:g}" width="{mark.width}" height="{mark.height}"'
    if mark.kind == "path":
        points = " ".join(f"{x},{y}" for x, y in mark.points)
        return f'<polyline points="{points}" stroke-width="{mark.width}"/>'
    if mark.kind == "ball":
        return f'<use href="#ball-{mark.side}" {size}/>'
    return "" if mark.kind == "text" else f'<rect {size} rx="{min(mark.width, mark.height) / 8:g}"/>'


def _text(mark: Mark) -> str:
    if not mark.text:
        return ""
    fits = mark.height if mark.kind == "text" else min(mark.height * 0.55, mark.width * 1.5 / len(mark.text))
    shown = escape(mark.text)
    return f'<text y="{fits * 0.35:.4g}" font-size="{fits:.4g}" text-anchor="middle">{shown}</text>'
