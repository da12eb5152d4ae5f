"""`manage.py replay [--json] [FILE]`: replay game records, one per line."""

import msgspec

from games.drawing.board_text import board_text
from games.engine.record import Replayed
from games.engine.replay_answer import build_answer
from voting.management.record_command import RecordCommand


class Command(RecordCommand):
    help = "Replay game records (one JSON object per line) and show the resulting positions."

    def build_answer(self, replayed: Replayed) -> msgspec.Struct:
        return build_answer(replayed)

    def describe(self, title: str, replayed: Replayed) -> str:
        return board_text(title, replayed)
