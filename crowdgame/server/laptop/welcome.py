"""The links and QR code that `make play` prints once the stack is running."""

import io
import sys

import segno
from click import echo, style

from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import Links

WHITE, BLACK = 231, 16  # of 256 colors, independent of the terminal's color theme


def print_welcome(links: Links, stack: Stack, phones: int) -> None:
    echo()
    if sys.stdout.isatty():
        for line in terminal_qr(links.phone_url).splitlines():
            echo(style(line, fg=WHITE, bg=BLACK))
    for label, url in link_rows(links):
        echo(f"  {style(f'{label:<10}', bold=True)} {style(url, fg='cyan')}")
    gateways = f"{stack.gateways} gateways ({stack.server}). " if stack.gateways > 1 else ""
    text = f"{gateways}{crowd_line(phones)} Press Ctrl-C to stop."
    echo(style(f"\n  {text}\n", dim=True))


def crowd_line(phones: int) -> str:
    if not phones:
        return "Choose a template under New event in the console."
    return f"{phones} simulated phones are playing a demo event. Join with yours."


def link_rows(links: Links) -> tuple[tuple[str, str], ...]:
    """The addresses with their labels. Without a demo event there is none for the projector."""
    display = (("Projector", links.display_url),) if links.display_url else ()
    return (*display, ("Phones", links.phone_url), ("Console", links.login_url))


def terminal_qr(url: str) -> str:
    """Return the QR code of `url`, drawn with half-block characters."""
    drawn = io.StringIO()
    segno.make(url, error="l").terminal(out=drawn, compact=True, border=2)
    return drawn.getvalue()
