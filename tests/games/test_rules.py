"""The conformance cases of `rules.ndjson`, run through the pure API."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from games.engine.errors import IllegalPick
from games.engine.game import SIDES, Drop, Picks
from games.engine.record import read_record, replay
from games.engine.registry import find_game, read_options
from games.engine.replay_answer import build_answer

RULES = Path(__file__).parent.parent / "rules.ndjson"
CASES = [msgspec.json.decode(line) for line in RULES.read_bytes().splitlines()]
SIMULTANEOUS = find_game("simultaneous-captains-mistress")
CLASSIC = find_game("captains-mistress")


def test_conformance_cases_are_complete() -> None:
    assert len(CASES) == 91


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_conformance_case(case: dict[str, Any]) -> None:
    reply = msgspec.to_builtins(build_answer(replay(read_record(msgspec.json.encode(case)))))
    reply["winning_cells"] = [list(cell) for cell in reply["winning_cells"]]
    reply["grid"] = list(reply["grid"])
    refused = reply.pop("error")
    expected = dict(case["expect"])
    expected_error = expected.pop("error", None)
    assert reply == expected
    assert (refused and refused["turn"]) == (expected_error and expected_error["turn"])


def test_conflict_reports_drops_in_order() -> None:
    state = SIMULTANEOUS.start(SIMULTANEOUS.options())
    _, resolution = SIMULTANEOUS.resolve(state, Picks(4, 4))
    assert resolution.drops == (Drop("red", 4, 1), Drop("yellow", 4, 2))
    assert (resolution.conflict, resolution.token_before, resolution.token_after) == (4, "red", "yellow")


def test_forfeited_drop_has_no_row() -> None:
    replayed = replay(
        read_record(
            b'{"game":"simultaneous-captains-mistress","turns":[{"red":1,"yellow":1},'
            b'{"red":1,"yellow":1},{"red":1,"yellow":2},{"red":1,"yellow":1}]}'
        )
    )
    assert replayed.resolutions[-1].drops == (Drop("red", 1, 6), Drop("yellow", 1, None))
    assert replayed.resolutions[-1].token_after == "yellow"


def test_finished_game_has_no_mover_and_refuses_empty_turn() -> None:
    for game in (SIMULTANEOUS, CLASSIC):
        lot_drawn = game.draw_lots(game.options(), 0)
        state = game.start(lot_drawn)
        while game.result(state) == "open":
            movers = game.to_move(state)
            state, _ = game.resolve(
                state, Picks(*(1 + side_at if side in movers else None for side_at, side in enumerate(SIDES)))
            )
        assert game.to_move(state) == ()
        assert game.legal_actions(state, "red") == ()
        with pytest.raises(IllegalPick):
            game.resolve(state, Picks())


@pytest.mark.parametrize("lot", range(4))
def test_lot_decides_open_options(lot: int) -> None:
    drawn = SIMULTANEOUS.draw_lots(read_options(SIMULTANEOUS, {"token": "lot"}), lot)
    assert SIMULTANEOUS.view(SIMULTANEOUS.start(drawn), None).token == SIDES[lot % 2]
    first = CLASSIC.draw_lots(CLASSIC.options(), lot)
    assert CLASSIC.to_move(CLASSIC.start(first)) == (SIDES[lot % 2],)


def test_lot_keeps_chosen_options() -> None:
    chosen = read_options(SIMULTANEOUS, {"token": "yellow", "columns": 6, "tie": "other"})
    assert SIMULTANEOUS.draw_lots(chosen, 0) == chosen
    assert CLASSIC.draw_lots(read_options(CLASSIC, {"first": "yellow"}), 0).first == "yellow"  # type: ignore[attr-defined]


def test_winning_line_is_reported_at_full_length() -> None:
    replayed = replay(
        read_record(
            b'{"game":"captains-mistress","options":{"first":"red"},"turns":['
            + b",".join(
                b'{"red":%d},{"yellow":%d}' % (red, yellow)
                for red, yellow in ((1, 7), (2, 7), (3, 7), (5, 6))
            )
            + b',{"red":4}]}'
        )
    )
    assert replayed.result == "red"
    assert replayed.resolutions[-1].lines == (((1, 1), (2, 1), (3, 1), (4, 1), (5, 1)),)
