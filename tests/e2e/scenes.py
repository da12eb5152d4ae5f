"""The scenes of phone and display by name: the state that is sent and the actions that follow."""

from functools import partial
from typing import Any

from tests.e2e import scene_actions as do
from tests.e2e.scene_setup import (
    BOTH_WIN,
    CONFLICT,
    CONSENT,
    DAY_MS,
    DECIDING,
    DRAW,
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
    with_terms,
)
from tests.e2e.scripted_match import ScriptedMatch, chat, hands, script_match, series
from voting.admission.links import qr_rows, team_qr_rows
from voting.protocol import CheersCounted, CloseCode, Error, KeyShown, TurnoutCounted
from voting.protocol.server import ErrorCode
from voting.terms import SpecialRule

LINK = "http://play.example/Q7RM"
KEY = KeyShown(
    key="R7KQ2",
    until_at=4_000_000_000_000,
    join_url=f"{LINK}#R7KQ2",
    qr=qr_rows(f"{LINK}#R7KQ2"),
    team_qrs=team_qr_rows(LINK, "R7KQ2"),
)
NO_VOTES = TurnoutCounted(turn=MIDDLE.turn_id, connected=(1250, 1190), voted=(0, 0))
ANALYZED = analyzed(MIDDLE)
DECIDED = analyzed(THE_END, DECIDING)
DAYS = partial(as_duel(MIDDLE, 3 * 86_400, 2 * DAY_MS, 3 * DAY_MS).voting, left_ms=2 * DAY_MS - 4_000_000)
CHAT = with_options(MIDDLE, **chat("yellow"))
TEAM_LINKS = with_long_names(ScriptedMatch(), team_choice="link", notice=NOTICE)
RULES: Any = {"special_rules": (SpecialRule.SINGLE_SELECTOR, SpecialRule.CAPTAINS, SpecialRule.RESIGNING)}
DISPLAY_LOBBIES = (
    Scene("lobby", ScriptedMatch().lobby, "lobby"),
    Scene("lobby-other-game", with_options(ScriptedMatch(), game="trails").lobby, "lobby"),
    Scene("lobby-special-rules", with_options(ScriptedMatch(), game="trails", **RULES).lobby, "lobby"),
    Scene("lobby-closed", with_options(ScriptedMatch(), lobby="closed").lobby, "lobby"),
    Scene("lobby-locked", with_options(ScriptedMatch(), lobby="locked").lobby, "lobby"),
    Scene("lobby-key", with_options(ScriptedMatch(), admission="rotating").lobby, "lobby", more=(KEY,)),
    Scene("lobby-tickets", with_options(ScriptedMatch(), admission="tickets").lobby, "lobby"),
    Scene("lobby-cheers", ScriptedMatch().lobby, "lobby", more=(CheersCounted(presses=(140, 65)),)),
    Scene("lobby-hidden", with_options(ScriptedMatch(), hidden=("code", "turnout")).lobby, "lobby"),
    Scene("lobby-series", with_options(ScriptedMatch(), **series(1, 2)).lobby, "lobby"),
    Scene("lobby-notice", with_options(ScriptedMatch(), notice=NOTICE).lobby, "lobby"),
    Scene("lobby-long-names", with_long_names(ScriptedMatch()).lobby, "lobby"),
    Scene("lobby-team-links", with_options(ScriptedMatch(), team_choice="link").lobby, "lobby"),
    Scene("lobby-team-links-notice", TEAM_LINKS.lobby, "lobby"),
)
DISPLAY_WINDOWS = (
    Scene("special-rules", partial(with_options(ScriptedMatch(), **RULES).voting, left_ms=60_000), "voting"),
    Scene("talk", MIDDLE.talk, "talk"),
    Scene("talk-analysis", ANALYZED.talk, "talk"),
    Scene("voting", MIDDLE.voting, "voting"),
    Scene("voting-draw-offer", with_draw_offer(with_long_names(MIDDLE)), "voting"),
    Scene("voting-no-votes", MIDDLE.voting, "voting", more=(NO_VOTES,)),
    Scene("voting-first", ScriptedMatch().voting, "voting"),
    Scene("voting-last-seconds", partial(MIDDLE.voting, left_ms=7_500), "voting"),
    Scene("voting-analysis", partial(ANALYZED.voting, left_ms=13_000), "voting"),
    Scene("voting-notice", with_options(MIDDLE, notice=NOTICE).voting, "voting"),
    Scene("voting-hidden", with_options(MIDDLE, hidden=("code", "turnout")).voting, "voting"),
    Scene("voting-peek", with_options(MIDDLE, peek=True, own_counts=True).voting, "voting"),
    Scene("voting-hands", with_options(MIDDLE, **hands("yellow")).voting, "voting"),
    Scene("voting-chat", CHAT.voting, "voting"),
    Scene("voting-chat-overlay", CHAT.voting, "voting", query="?obs=1"),
    Scene("voting-six-columns", script_match((2, 3), (4, 4), columns=6).voting, "voting"),
    Scene("voting-long-names", with_long_names(MIDDLE).voting, "voting"),
    Scene("paused", MIDDLE.paused, "paused"),
    Scene("closed", MIDDLE.sealed, "sealed"),
    Scene("sealed", MIDDLE.sealed, "sealed", action=do.sealed),
    Scene("sealed-by-all", MIDDLE.sealed, "sealed", action=partial(do.sealed, by_all=True)),
)
DISPLAY_DUELS = (
    Scene("duel", as_duel(MIDDLE).voting, "voting", action=do.receive_picks),
    Scene("duel-picked", as_duel(MIDDLE).voting, "voting", action=partial(do.receive_picks, voted=(2,))),
    Scene("duel-of-days", DAYS, "voting", action=partial(do.receive_picks, voted=(1,))),
    Scene("duel-ended", rated_duel(THE_END), "ended"),
)
DISPLAY_AFTERWARDS = (
    *reveals({"conflict": CONFLICT, "two": MIDDLE, "last": THE_END}),
    *reveals({"full": FULL}, "picks", "drops"),
    Scene("reveal-tally-hidden", at_step("picks", with_options(MIDDLE, hidden=("tally",))), "reveal"),
    Scene("ended", ended(THE_END), "ended"),
    Scene("reveal-analysis", at_step("over", ANALYZED), "reveal"),
    Scene("ended-analysis", ended(analyzed(THE_END)), "ended"),
    Scene("ended-mistake", ended(DECIDED), "ended"),
    Scene("ended-mistake-long-names", ended(with_long_names(DECIDED)), "ended"),
    Scene("ended-draw", ended(with_long_names(DRAW, finished=())), "ended"),
    Scene("ended-draw-mistake", ended(analyzed(DRAW, DECIDING), finished=()), "ended"),
    Scene("ended-both-lines", ended(BOTH_WIN), "ended"),
    Scene("ended-both-lines-analysis", ended(analyzed(BOTH_WIN)), "ended"),
    Scene("ended-series", ended(with_options(THE_END, **series(2, 1, 1))), "ended"),
    Scene("ended-podium", ended(with_options(THE_END, **series(1, 2, 1, 1))), "ended"),
    Scene("ended-podium-mistake", ended(with_options(DECIDED, **series(1, 2, 1, 1))), "ended"),
    Scene("ended-long-names", ended(with_long_names(THE_END)), "ended"),
    Scene("ended-sides", ended(with_terms(THE_END, max_side_changes=1, sides=SIDES_SUMMARY)), "ended"),
    Scene("aborted", MIDDLE.aborted, "ended"),
)
LOOKS = (
    Scene("back-side", MIDDLE.voting, "voting", query="?side=back"),
    Scene("wood", MIDDLE.voting, "voting", query="?theme=wood"),
    Scene("home-red", MIDDLE.voting, "voting", query="?home=red"),
    Scene("home-leads", partial(MIDDLE.voting, left_ms=19_500), "voting", query="?home=yellow"),
    Scene("home-chose", at_step("picks", MIDDLE), "reveal", query="?home=yellow&side=back"),
    Scene("home-talks", MIDDLE.talk, "talk", query="?home=yellow"),
    Scene("home-won", ended(THE_END), "ended", query="?home=red"),
)
UNKNOWN = partial(do.close_for_good, code=CloseCode.NO_SUCH_EVENT, phase="unknown")
# Overlays and transparent modes: in the gallery only.
PRESENTING = (
    Scene(
        "transparent",
        MIDDLE.voting,
        "voting",
        query="?obs=1",
        action=lambda page, _: page.evaluate(do.CHECKERED_JS),
    ),
    Scene("keys", MIDDLE.voting, "voting", action=partial(do.show_keys, allowed=True)),
    Scene("keys-logged-out", MIDDLE.voting, "voting", action=do.show_keys),
    Scene("blank", MIDDLE.voting, "voting", action=lambda page, _: page.keyboard.press("b")),
    Scene("offline", MIDDLE.voting, "voting", action=do.go_offline),
    Scene("unknown", ScriptedMatch().lobby, "lobby", action=UNKNOWN),
)
DISPLAY_SCENES = (*DISPLAY_LOBBIES, *DISPLAY_WINDOWS, *DISPLAY_DUELS, *DISPLAY_AFTERWARDS, *LOOKS)
DISPLAY_GALLERY = (*DISPLAY_SCENES, *PRESENTING)
COUNTED = with_options(MIDDLE, own_counts=True)
LONG_NAMED = with_long_names(MIDDLE)
SIDES = {"max_side_changes": 1, "sides": SIDES_SUMMARY, "turn_points": True}
SECRET = with_terms(MIDDLE, max_side_changes=1)
TICKETS = with_options(ScriptedMatch(), admission="tickets")
SO_FAR = (own_counts(MIDDLE),)
JUDGED = with_terms(MIDDLE, **analyzed(MIDDLE.play(do.OWN, do.OTHER)).terms)
PHONE_LOBBIES = (
    Scene("lobby", ScriptedMatch().lobby, "lobby"),
    Scene("lobby-long-names", with_long_names(ScriptedMatch()).lobby, "lobby"),
    Scene("aborted", MIDDLE.aborted, "lobby"),
)
SEAL_LONG, SEAL_COUNTED = (partial(do.sealed_after_vote, scripted=one) for one in (LONG_NAMED, COUNTED))
RESIGNATION = partial(do.pick_and_press, name="resign", pressed="false")
DRAW_ACCEPTED = partial(do.pick_and_press, name="draw")
METHODS = {"voting-approval": "approval", "voting-ranked": "instant_runoff", "voting-score": "score"}
PHONE_WINDOWS = (
    Scene("talk", MIDDLE.talk, "talk"),
    Scene("voting", MIDDLE.voting, "voting"),
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
    *(
        Scene(name, with_terms(MIDDLE, tally_method=method).voting, "voting", action=do.pick_several)
        for name, method in METHODS.items()
    ),
    Scene("voting-resign", with_terms(MIDDLE, resign="half").voting, "voting", action=RESIGNATION),
    Scene("voting-draw-offer", with_draw_offer(LONG_NAMED), "voting"),
    Scene("voting-draw-accepted", with_draw_offer(MIDDLE), "voting", action=DRAW_ACCEPTED),
    Scene("voting-moved", MIDDLE.voting, "voting", action=do.move_voter),
    Scene("hands", with_options(MIDDLE, **hands("red")).voting, "voting"),
    Scene("paused", MIDDLE.paused, "paused"),
    Scene("closed", MIDDLE.sealed, "sealed"),
    Scene("sealed", MIDDLE.sealed, "sealed", action=do.sealed),
    Scene("sealed-voted", LONG_NAMED.voting, "voting", action=SEAL_LONG),
    Scene("sealed-own-counts", COUNTED.voting, "voting", more=SO_FAR, action=SEAL_COUNTED),
)
OTHER_PICKED = partial(do.receive_picks_with_clocks, voted=(1,))
PHONE_DUELS = (
    Scene("duel", as_duel(MIDDLE).voting, "voting", action=do.receive_picks_with_clocks),
    Scene("duel-picked", as_duel(MIDDLE).voting, "voting", action=do.pick_in_duel),
    Scene("duel-other-picked", as_duel(MIDDLE).voting, "voting", team=2, action=OTHER_PICKED),
    Scene("duel-of-days", DAYS, "voting", action=do.pick_in_duel),
    Scene("duel-ended", rated_duel(THE_END), "ended"),
)


def after_vote(name: str, scripted: ScriptedMatch, step: str) -> Scene:
    action = partial(do.vote_then_reveal, scripted=scripted, step=step)
    return Scene(name, MIDDLE.voting, "voting", action=action)


PHONE_AFTERWARDS = (
    *reveals({"conflict": CONFLICT, "two": MIDDLE}),
    *reveals({"full": FULL}, "drops"),
    after_vote("reveal-own-votes", MIDDLE, "votes"),
    after_vote("reveal-own-picks", MIDDLE, "picks"),
    Scene("reveal-last", at_step("lines", THE_END), "reveal"),
    Scene("reveal-analysis", at_step("over", analyzed(MIDDLE)), "reveal"),
    after_vote("reveal-own-analysis", JUDGED, "over"),
    Scene("ended-won", ended(THE_END), "ended"),
    Scene("ended-lost", ended(with_long_names(THE_END)), "ended", team=2, action=do.restore_receipts),
    Scene("ended-sides", ended(with_terms(THE_END, **SIDES)), "ended"),
    Scene("ended-series", ended(with_options(THE_END, **series(1, 2, 1, 1))), "ended"),
)


def refused(name: str, code: ErrorCode, **options: Any) -> Scene:
    """A phone that is not admitted, since the event has these options."""
    answer = Error(code=code, text="", event=with_options(ScriptedMatch(), **options).lobby(0))
    return Scene(name, ScriptedMatch().lobby, "joining", answer=answer)


CLOSED = {
    "kicked": CloseCode.KICKED,
    "banned": CloseCode.BANNED,
    "open-elsewhere": CloseCode.OPEN_ELSEWHERE,
    "out-of-date": CloseCode.BAD_FRAME,
}
WITHOUT_A_SEAT = (
    Scene("offline", MIDDLE.voting, "voting", action=do.go_offline),
    Scene("crowded", ScriptedMatch().lobby, "joining", action=do.reject_as_crowded, answer=do.RETRY_LATER),
    Scene("crowded-in-a-turn", MIDDLE.voting, "voting", action=do.reject_as_crowded),
    *(
        Scene(name, MIDDLE.voting, "voting", action=partial(do.close_for_good, code=code))
        for name, code in CLOSED.items()
    ),
    Scene("no-such-event", ScriptedMatch().lobby, "joining", action=do.no_such_event, answer=do.RETRY_LATER),
    refused("team-choice", "team_needed"),
    refused("key-asked", "key_needed", admission="rotating"),
    refused("key-wrong", "key_wrong", admission="rotating"),
    refused("key-ticket", "key_needed", admission="tickets"),
    refused("key-name", "key_needed", admission="roster"),
    refused("key-used", "key_used", admission="tickets"),
    Scene("second-ticket", TICKETS.lobby, "lobby", action=do.scan_second_ticket),
    refused("lobby-not-open", "lobby_closed", lobby="closed"),
    refused("joining-locked", "joining_locked", lobby="locked"),
    refused("hands-only", "hands_only", **hands("red")),
)
HIDDEN = Scene("voting-hidden", MIDDLE.voting, "voting", action=partial(do.pick_and_press, name="hide"))
PHONE_SCENES = (*PHONE_LOBBIES, *PHONE_WINDOWS, *PHONE_DUELS, HIDDEN, *PHONE_AFTERWARDS, *WITHOUT_A_SEAT)
# In the gallery only: an open card covers text; a long name is cut after two lines.
PHONE_GALLERY = (
    *PHONE_SCENES,
    Scene(
        "lobby-consent",
        with_options(ScriptedMatch(), consent=CONSENT).lobby,
        "lobby",
        action=lambda page, _: page.locator("dialog.consent").wait_for(),
    ),
    Scene("ended-card", ended(analyzed(THE_END, DECIDING)), "ended", action=do.open_card),
    Scene("voting-long-names", with_long_names(MIDDLE).voting, "voting", team=2),
    Scene("sides-between", at_step("lines", SECRET), "reveal", action=do.open_sides),
    Scene("sides-revealed", at_step("lines", SECRET), "reveal", action=do.reveal_side),
)
