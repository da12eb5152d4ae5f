"""The links and QR code that `make play` prints once the stack is running."""

import io
import sys

import segno
from rich.console import Console
from rich.text import Text

from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import Links

QR_STYLE = "#ffffff on #000000"  # independent of the terminal's color theme


def print_welcome(links: Links, stack: Stack, phones: int) -> None:
    console = Console(highlight=False)
    console.print()
    if sys.stdout.isatty():
        console.print(Text(terminal_qr(links.phone_url), style=QR_STYLE), soft_wrap=True)
    for label, url in link_rows(links):
        console.print(f"  [bold]{label:<10}[/] [cyan]{url}[/]", soft_wrap=True)
    gateways = f"{stack.gateways} gateways ({stack.server}). " if stack.gateways > 1 else ""
    text = f"{gateways}{crowd_line(phones)} Press Ctrl-C to stop."
    console.print(f"\n  {text}\n", style="dim", soft_wrap=True)


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
