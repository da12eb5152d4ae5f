"""The contenders under one server: a bare echo, the stock app and the product."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.load.bench.contender import Contender
from tests.load.bench.machine import cores, pinned
from tests.load.bench.product import Product, make_product
from tests.load.bench.references import running_references
from tests.server import running_server

GATEWAY_COUNTS = {"crowdgame": 1, "two gateways": 2}


@dataclass(frozen=True, slots=True)
class Field:
    """`products`: with one gateway, and optionally with two."""

    echo: Contender
    stock: Contender
    products: tuple[Product, ...]

    @property
    def product(self) -> Product:
        return self.products[0]

    @property
    def contenders(self) -> tuple[Contender, ...]:
        return self.echo, self.stock, *(product.contender for product in self.products)


@contextmanager
def running_field(asgi_server: str, pair: bool, home: Path) -> Iterator[Field]:
    """Run the servers on the first core; the load generator, stores and workers on the last one.

    The second of two gateways shares the last core: only its cost per ballot is measured, not its speed.
    """
    names = list(GATEWAY_COUNTS) if pair else ["crowdgame"]
    with pinned(cores()[-1]), ExitStack() as running:
        echo, stock = running.enter_context(running_references(asgi_server, home / "references"))
        servers = {
            name: running.enter_context(
                running_server(home / name.replace(" ", "-"), asgi_server, GATEWAY_COUNTS[name])
            )
            for name in names
        }
        field = Field(echo, stock, tuple(make_product(name, server) for name, server in servers.items()))
        for contender in field.contenders:
            contender.pin(cores())
        yield field
