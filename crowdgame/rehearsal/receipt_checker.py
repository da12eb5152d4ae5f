"""Receipts of a simulated voter: asks for one after each turn, like a real phone, and checks it."""

import asyncio
from collections.abc import Callable

from crowdgame.rehearsal.context import RehearsalContext
from voting.protocol import EventState, ReceiptAsk, ReceiptIssued

# As in receiptChecks.ts of the phone: a random delay, so that an audience does not ask all at once.
ASK_AFTER_S = (0.5, 4.0)


class ReceiptChecker:
    """The receipts of one phone. `write` sends if the phone is connected."""

    def __init__(self, index: int, context: RehearsalContext, write: Callable[[ReceiptAsk], bool]) -> None:
        self._index = index
        self._context = context
        self._write = write
        self._timer: asyncio.TimerHandle | None = None

    def turn_over(self, turn: int, state: EventState | None) -> None:
        """Ask soon for the receipt of an acknowledged ballot. In matches with secret sides there is none."""
        self.leave()
        if state and not (state.match and state.match.max_side_changes):
            delay_s = self._context.rng.uniform(*ASK_AFTER_S)
            ask = ReceiptAsk(turn=turn)
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._write, ask)

    def receive(self, receipt: ReceiptIssued) -> None:
        if receipt.side is not None:
            self._context.ledger.turn(receipt.turn).check_receipt(self._index, receipt.choice)

    def leave(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
