"""The single selector: two half-turns equal one simultaneous turn, and the first pick stays secret."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.errors import IllegalPick
from games.engine.game import SIDES, Drop, Picks, Side, other_side
from games.engine.record import read_record, replay
from games.engine.registry import find_game, read_options
from games.engine.replay_answer import build_answer

SELECTOR = find_game("single-selector")
AT_ONCE = find_game("simultaneous-captains-mistress")
HERE = Path(__file__).parent
OWN = [msgspec.json.decode(line) for line in (HERE / "single_selector.ndjson").read_bytes().splitlines()]
SHARED = [msgspec.json.decode(line) for line in (HERE.parent / "rules.ndjson").read_bytes().splitlines()]
LEGAL = [case for case in SHARED if case["game"] == AT_ONCE.slug and not case["expect"].get("error")]

options = st.fixed_dictionaries(
    {
        "columns": st.sampled_from([7, 6]),
        "token": st.sampled_from(SIDES),
        "tie": st.sampled_from(["holder", "other"]),
    }
)


def replay_case(case: dict[str, Any]) -> dict[str, Any]:
    reply: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(build_answer(replay(read_record(msgspec.json.encode(case)))))
    )
    return reply


@pytest.mark.parametrize("case", OWN, ids=[case["name"] for case in OWN])
def test_single_selector_case(case: dict[str, Any]) -> None:
    reply = replay_case(case)
    refused = reply.pop("error")
    assert (refused and refused["turn"]) == (case["expect"].pop("error", None) or {}).get("turn")
    assert reply == case["expect"]


def halved(case: dict[str, Any]) -> list[dict[Side, int | None]]:
    """The turns of a simultaneous game split into half-turns, the token holder's pick first."""
    state = AT_ONCE.start(read_options(AT_ONCE, case["options"]))
    halves: list[dict[Side, int | None]] = []
    for turn in case["turns"]:
        holder: Side = AT_ONCE.view(state, None).token or "red"
        halves += [{side: turn.get(side)} for side in (holder, other_side(holder))]
        state, _ = AT_ONCE.resolve(state, Picks(turn.get("red"), turn.get("yellow")))
    return halves


@pytest.mark.parametrize("case", LEGAL, ids=[case["name"] for case in LEGAL])
def test_half_turns_give_same_result_as_simultaneous_game(case: dict[str, Any]) -> None:
    halves = case | {"game": SELECTOR.slug, "turns": halved(case)}
    assert replay_case(halves) == replay_case(case) | {"turns_played": 2 * len(case["turns"])}


@given(st.data(), options)
def test_two_half_turns_equal_one_simultaneous_turn(data: st.DataObject, chosen: dict[str, Any]) -> None:
    state = SELECTOR.start(read_options(SELECTOR, chosen))
    same = AT_ONCE.start(read_options(AT_ONCE, chosen))
    while AT_ONCE.result(same) == "open":
        picks: dict[Side, int | None] = {}
        for vote in ("concealed", "open"):
            [side] = SELECTOR.to_move(state)
            assert side == AT_ONCE.view(same, None).token if vote == "concealed" else side not in picks
            assert SELECTOR.view(state, None).vote == vote
            assert SELECTOR.legal_actions(state, side) == AT_ONCE.legal_actions(same, side)
            picks[side] = data.draw(st.sampled_from([*SELECTOR.legal_actions(state, side), None]))
            state, resolution = SELECTOR.resolve(state, Picks(**{side: picks[side]}))
        same, expected = AT_ONCE.resolve(same, Picks(**picks))
        assert resolution == expected
        assert msgspec.structs.replace(SELECTOR.view(state, None), vote=None) == AT_ONCE.view(same, None)
        if all(pick is None for pick in picks.values()):
            return  # both sides could pass forever


@given(st.data(), options, st.integers(0, 15))
def test_first_pick_is_not_observable_between_half_turns(
    data: st.DataObject, chosen: dict[str, Any], turns: int
) -> None:
    """Any pick by the holder, or a pass, gives the same view, legal actions and sentences."""
    state = SELECTOR.start(read_options(SELECTOR, chosen))
    for _ in range(2 * turns):
        for side in SELECTOR.to_move(state):
            legal = SELECTOR.legal_actions(state, side)
            state, _ = SELECTOR.resolve(state, Picks(**{side: data.draw(st.sampled_from(legal))}))
    for holder in SELECTOR.to_move(state):
        picks = [*SELECTOR.legal_actions(state, holder), None]
        after = [SELECTOR.resolve(state, Picks(**{holder: pick})) for pick in picks]
        shown = {
            msgspec.json.encode(
                (
                    resolution,
                    [SELECTOR.view(then, side) for side in (*SIDES, None)],
                    [SELECTOR.legal_actions(then, side) for side in SIDES],
                    SELECTOR.to_move(then),
                    SELECTOR.result(then),
                )
            )
            for then, resolution in after
        }
        assert len(shown) == 1
        assert [resolution.drops for _, resolution in after] == [()] * len(picks)


def test_conflict_passes_selector_to_other_side() -> None:
    state = SELECTOR.start(read_options(SELECTOR, {}))
    state, _ = SELECTOR.resolve(state, Picks(red=4))
    state, resolution = SELECTOR.resolve(state, Picks(yellow=4))
    assert resolution.drops == (Drop("red", 4, 1), Drop("yellow", 4, 2))
    assert (resolution.conflict, resolution.token_after, SELECTOR.to_move(state)) == (
        4,
        "yellow",
        ("yellow",),
    )


def test_resolve_refuses_pick_out_of_turn() -> None:
    state = SELECTOR.start(read_options(SELECTOR, {}))
    for picks in (Picks(yellow=1), Picks(1, 1)):
        with pytest.raises(IllegalPick):
            SELECTOR.resolve(state, picks)
    chosen, _ = SELECTOR.resolve(state, Picks(red=1))
    with pytest.raises(IllegalPick):
        SELECTOR.resolve(chosen, Picks(red=2))
