"""`manage.py solve [--json] [FILE]`: best play in the positions of game records, one per line."""

import msgspec

from games.drawing.board_text import board_text
from games.engine.record import Replayed
from games.solver.solve_answer import build_answer, describe_answer
from voting.management.record_command import RecordCommand


class Command(RecordCommand):
    help = "Solve the turn after each game record (one JSON object per line)."

    def build_answer(self, replayed: Replayed) -> msgspec.Struct:
        return build_answer(replayed)

    def describe(self, title: str, replayed: Replayed) -> str:
        return f"{board_text(title, replayed)}\n{describe_answer(build_answer(replayed))}"
