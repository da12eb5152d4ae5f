"""The links and QR code that `make play` prints once the stack is running."""

import io
import sys

import segno
from rich.console import Console
from rich.text import Text

from deploy.laptop.stack import Stack
from deploy.laptop.startup import Demo

QR_STYLE = "#ffffff on #000000"  # independent of the terminal's color theme


def print_welcome(demo: Demo, stack: Stack, phones: int) -> None:
    console = Console(highlight=False)
    console.print()
    if sys.stdout.isatty():
        console.print(Text(terminal_qr(demo.phone_url), style=QR_STYLE), soft_wrap=True)
    for label, url in link_rows(demo):
        console.print(f"  [bold]{label:<10}[/] [cyan]{url}[/]", soft_wrap=True)
    gateways = f"{stack.gateways} gateways ({stack.server}). " if stack.gateways > 1 else ""
    crowd = f"{phones} simulated phones are playing. Join with yours." if phones else "No simulated crowd."
    text = f"{gateways}{crowd} Press Ctrl-C to stop."
    console.print(f"\n  {text}\n", style="dim", soft_wrap=True)


def link_rows(demo: Demo) -> tuple[tuple[str, str], ...]:
    return (
        ("Projector", demo.display_url),
        ("Phones", demo.phone_url),
        ("Console", demo.login_url),
    )


def terminal_qr(url: str) -> str:
    """Return the QR code of `url`, drawn with half-block characters."""
    drawn = io.StringIO()
    segno.make(url, error="l").terminal(out=drawn, compact=True, border=2)
    return drawn.getvalue()
