"""The scenes of the phone by name: the state that is sent and the actions that follow."""

from functools import partial
from typing import Any

from tests.e2e import scene_actions as do
from tests.e2e.scene_setup import (
    CONFLICT,
    CONSENT,
    DAY_MS,
    DECIDING,
    FULL,
    MIDDLE,
    NOTICE,
    SIDES_SUMMARY,
    THE_END,
    Scene,
    analyzed,
    as_duel,
    at_step,
    ended,
    own_counts,
    rated_duel,
    reveals,
    with_draw_offer,
    with_long_names,
    with_options,
    with_secret_sides,
    with_terms,
)
from tests.e2e.scripted_match import ScriptedMatch, chat, hands, script_match, series
from voting.protocol import CloseCode, Error
from voting.protocol.server import ErrorCode

COUNTED = with_options(MIDDLE, own_counts=True)
LONG_NAMED = with_long_names(MIDDLE)
SECRET = with_secret_sides(MIDDLE)
SO_FAR = (own_counts(MIDDLE),)
JUDGED = with_terms(MIDDLE, **analyzed(MIDDLE.play(do.OWN, do.OTHER)).terms)
DAYS = partial(as_duel(MIDDLE, 3 * 86_400, 2 * DAY_MS, 3 * DAY_MS).voting, left_ms=2 * DAY_MS - 4_000_000)

LOBBIES = (
    Scene("lobby", ScriptedMatch().lobby, "lobby"),
    Scene("lobby-yellow", ScriptedMatch().lobby, "lobby", team=2, nightly=True),
    Scene("lobby-long-names", with_long_names(ScriptedMatch()).lobby, "lobby"),
    Scene("aborted", MIDDLE.aborted, "lobby"),
)
WINDOWS = (
    Scene("talk", MIDDLE.talk, "talk"),
    Scene("voting", MIDDLE.voting, "voting"),
    Scene("voting-yellow", MIDDLE.voting, "voting", team=2, nightly=True),
    Scene("voting-sending", MIDDLE.voting, "voting", action=do.pick_unacknowledged),
    Scene("voting-counted", MIDDLE.voting, "voting", action=do.pick),
    Scene("voting-refused", MIDDLE.voting, "voting", action=do.pick_too_late),
    Scene("voting-last-seconds", partial(MIDDLE.voting, left_ms=7_500), "voting", action=do.pick),
    Scene("voting-own-counts", COUNTED.voting, "voting", more=SO_FAR),
    Scene("voting-own-counts-picked", COUNTED.voting, "voting", more=SO_FAR, action=do.pick),
    Scene("voting-six-columns", script_match((2, 3), (4, 4), columns=6).voting, "voting", team=2),
    Scene("voting-notice", with_options(MIDDLE, notice=NOTICE).voting, "voting"),
    Scene("voting-peek", with_options(MIDDLE, peek=True).voting, "voting"),
    Scene("voting-chat", with_options(MIDDLE, **chat("yellow")).voting, "voting"),
    Scene(
        "voting-approval",
        with_terms(MIDDLE, tally_method="approval").voting,
        "voting",
        action=do.pick_several,
    ),
    Scene(
        "voting-ranked",
        with_terms(MIDDLE, tally_method="instant_runoff").voting,
        "voting",
        action=do.pick_several,
    ),
    Scene("voting-score", with_terms(MIDDLE, tally_method="score").voting, "voting", action=do.pick_several),
    Scene("voting-resign", with_terms(MIDDLE, resign="half").voting, "voting", action=do.request_resignation),
    Scene("voting-draw-offer", with_draw_offer(LONG_NAMED), "voting"),
    Scene("voting-draw-accepted", with_draw_offer(MIDDLE), "voting", action=do.accept_draw),
    Scene("voting-moved", MIDDLE.voting, "voting", action=do.move_voter),
    Scene("hands", with_options(MIDDLE, **hands("red")).voting, "voting"),
    Scene("paused", MIDDLE.paused, "paused"),
    Scene("closed", MIDDLE.sealed, "sealed"),
    Scene("sealed", MIDDLE.sealed, "sealed", action=do.sealed),
    Scene("sealed-voted", LONG_NAMED.voting, "voting", action=do.sealed_after_vote(LONG_NAMED)),
    Scene("sealed-own-counts", COUNTED.voting, "voting", more=SO_FAR, action=do.sealed_after_vote(COUNTED)),
)
DUELS = (
    Scene("duel", as_duel(MIDDLE).voting, "voting", action=do.receive_picks_with_clocks()),
    Scene("duel-picked", as_duel(MIDDLE).voting, "voting", action=do.pick_in_duel),
    Scene(
        "duel-other-picked", as_duel(MIDDLE).voting, "voting", team=2, action=do.receive_picks_with_clocks(1)
    ),
    Scene("duel-of-days", DAYS, "voting", action=do.pick_in_duel),
    Scene("duel-ended", rated_duel(THE_END), "ended"),
)
AFTERWARDS = (
    *reveals({"conflict": CONFLICT}),
    *reveals({"two": MIDDLE}, nightly=True),
    *reveals({"full": FULL}, "drops"),
    Scene("reveal-own-votes", MIDDLE.voting, "voting", action=do.vote_then_reveal(MIDDLE, "votes")),
    Scene("reveal-own-picks", MIDDLE.voting, "voting", action=do.vote_then_reveal(MIDDLE, "picks")),
    Scene("reveal-last", at_step("lines", THE_END), "reveal"),
    Scene("reveal-analysis", at_step("over", analyzed(MIDDLE)), "reveal"),
    Scene("reveal-own-analysis", MIDDLE.voting, "voting", action=do.vote_then_reveal(JUDGED, "over")),
    Scene("ended-won", ended(THE_END), "ended"),
    Scene("ended-lost", ended(with_long_names(THE_END)), "ended", team=2, action=do.restore_receipts),
    Scene("ended-sides", ended(with_secret_sides(THE_END, sides=SIDES_SUMMARY, turn_points=True)), "ended"),
    Scene("ended-series", ended(with_options(THE_END, **series(1, 2, 1, 1))), "ended"),
)


def refused(name: str, code: ErrorCode, **options: Any) -> Scene:
    """A phone that is not admitted, since the event has these options."""
    answer = Error(code=code, text="", event=with_options(ScriptedMatch(), **options).lobby(0))
    return Scene(name, ScriptedMatch().lobby, "joining", answer=answer)


WITHOUT_A_SEAT = (
    Scene("offline", MIDDLE.voting, "voting", action=do.go_offline),
    Scene("crowded", ScriptedMatch().lobby, "joining", action=do.reject_as_crowded, answer=do.RETRY_LATER),
    Scene("crowded-in-a-turn", MIDDLE.voting, "voting", action=do.reject_as_crowded),
    Scene("kicked", MIDDLE.voting, "voting", action=do.close_for_good(CloseCode.KICKED)),
    Scene("banned", MIDDLE.voting, "voting", action=do.close_for_good(CloseCode.BANNED)),
    Scene("open-elsewhere", MIDDLE.voting, "voting", action=do.close_for_good(CloseCode.OPEN_ELSEWHERE)),
    Scene("out-of-date", MIDDLE.voting, "voting", action=do.close_for_good(CloseCode.BAD_FRAME)),
    Scene("no-such-event", ScriptedMatch().lobby, "joining", action=do.no_such_event, answer=do.RETRY_LATER),
    refused("team-choice", "team_needed"),
    refused("key-asked", "key_needed", admission="rotating"),
    refused("key-wrong", "key_wrong", admission="rotating"),
    refused("key-ticket", "key_needed", admission="tickets"),
    refused("key-name", "key_needed", admission="roster"),
    refused("key-used", "key_used", admission="tickets"),
    Scene(
        "second-ticket",
        with_options(ScriptedMatch(), admission="tickets").lobby,
        "lobby",
        action=do.scan_second_ticket,
    ),
    refused("lobby-not-open", "lobby_closed", lobby="closed"),
    refused("joining-locked", "joining_locked", lobby="locked"),
    refused("hands-only", "hands_only", **hands("red")),
)
HIDDEN = Scene("voting-hidden", MIDDLE.voting, "voting", action=do.pick_hidden)
PHONE_SCENES = (*LOBBIES, *WINDOWS, *DUELS, HIDDEN, *AFTERWARDS, *WITHOUT_A_SEAT)

# In the gallery only: an open card covers text; a long name is cut after two lines.
PHONE_GALLERY = (
    *PHONE_SCENES,
    Scene(
        "lobby-consent", with_options(ScriptedMatch(), consent=CONSENT).lobby, "lobby", action=do.read_consent
    ),
    Scene("ended-card", ended(analyzed(THE_END, DECIDING)), "ended", action=do.open_card),
    Scene("voting-long-names", with_long_names(MIDDLE).voting, "voting", team=2),
    Scene("sides-between", at_step("lines", SECRET), "reveal", action=do.open_sides),
    Scene("sides-revealed", at_step("lines", SECRET), "reveal", action=do.reveal_side),
)
