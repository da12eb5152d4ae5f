"""The compiled search: solver.c as WebAssembly, its memory and its weights."""

from array import array
from ctypes import Structure, c_double, sizeof
from functools import cache
from pathlib import Path
from typing import cast

import wasmtime

PROGRAM = Path(__file__).with_name("solver.wasm")
COLUMNS = 7
PAGE = 1 << 16
ENTRY_BYTES = 32
WEIGHT_BYTES = 4


class Answer(Structure):
    """`Answer` of solver.c: the value, the mix of each side, and the matrix by red's and yellow's column."""

    _fields_ = (
        ("value", c_double),
        ("red_mix", c_double * COLUMNS),
        ("yellow_mix", c_double * COLUMNS),
        ("matrix", c_double * COLUMNS * COLUMNS),
    )


@cache
def _compile() -> tuple[wasmtime.Engine, wasmtime.Module]:
    engine = wasmtime.Engine()
    return engine, wasmtime.Module(engine, PROGRAM.read_bytes())


class SolverModule:
    """One instance of the WebAssembly module, for boards of one width and one rule for double wins.

    `table_bits` is the binary logarithm of the transposition table's entries, 32 bytes each.
    """

    def __init__(self, columns: int, reverse_tie: bool, table_bits: int) -> None:
        engine, module = _compile()
        self._store = wasmtime.Store(engine)
        self._exports = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._table = int(cast(wasmtime.Global, self._exports["__heap_base"]).value(self._store))
        self._weights = self._table + (ENTRY_BYTES << table_bits)
        self._reserve(self._weights)
        self.call("set_up", self._table, table_bits, columns, int(reverse_tie))
        self.weight_count = int(self.call("weights_needed"))
        self._reserve(self._weights + 3 * WEIGHT_BYTES * self.weight_count)

    def call(self, name: str, *arguments: float) -> float:
        """Call an exported function of solver.c. A function without a result returns 0."""
        return cast(wasmtime.Func, self._exports[name])(self._store, *arguments) or 0

    def read_answer(self) -> Answer:
        """Return the answer of the last search."""
        return Answer.from_buffer_copy(self._read(int(self.call("answer_address")), sizeof(Answer)))

    def read_weights(self) -> "array[float]":
        return array("f", bytes(self._read(self._weights, WEIGHT_BYTES * self.weight_count)))

    def write_weights(self, weights: "array[float]") -> None:
        self._memory.write(self._store, weights.tobytes(), self._weights)

    def _read(self, start: int, size: int) -> bytearray:
        return self._memory.read(self._store, start, start + size)

    @property
    def _memory(self) -> wasmtime.Memory:
        return cast(wasmtime.Memory, self._exports["memory"])

    def _reserve(self, size: int) -> None:
        missing = -(-size // PAGE) - self._memory.size(self._store)
        if missing > 0:
            self._memory.grow(self._store, missing)
