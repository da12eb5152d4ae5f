"""The scenes of the display by name: the state that is sent and the actions that follow."""

from functools import partial
from typing import Any

from tests.e2e import scene_actions as do
from tests.e2e.scene_setup import (
    BOTH_WIN,
    CONFLICT,
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
    rated_duel,
    reveals,
    with_draw_offer,
    with_long_names,
    with_options,
    with_secret_sides,
)
from tests.e2e.scripted_match import ScriptedMatch, chat, hands, script_match, series
from voting.admission.links import qr_rows, team_qr_rows
from voting.protocol import CheersCounted, CloseCode, KeyShown, TurnoutCounted
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

TEAM_LINKS = with_long_names(ScriptedMatch(), team_choice="link", notice=NOTICE)

RULES: dict[str, Any] = {
    "special_rules": (SpecialRule.SINGLE_SELECTOR, SpecialRule.CAPTAINS, SpecialRule.RESIGNING)
}

LOBBIES = (
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
WINDOWS = (
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
    Scene("voting-chat", with_options(MIDDLE, **chat("yellow")).voting, "voting"),
    Scene(
        "voting-chat-overlay",
        with_options(MIDDLE, **chat("yellow")).voting,
        "voting",
        query="?obs=1",
        nightly=True,
    ),
    Scene("voting-six-columns", script_match((2, 3), (4, 4), columns=6).voting, "voting"),
    Scene("voting-long-names", with_long_names(MIDDLE).voting, "voting"),
    Scene("paused", MIDDLE.paused, "paused"),
    Scene("closed", MIDDLE.sealed, "sealed"),
    Scene("sealed", MIDDLE.sealed, "sealed", action=do.sealed),
    Scene("sealed-by-all", MIDDLE.sealed, "sealed", action=do.sealed_by_all),
)
DUELS = (
    Scene("duel", as_duel(MIDDLE).voting, "voting", action=do.receive_picks()),
    Scene("duel-picked", as_duel(MIDDLE).voting, "voting", action=do.receive_picks(2)),
    Scene("duel-of-days", DAYS, "voting", action=do.receive_picks(1)),
    Scene("duel-ended", rated_duel(THE_END), "ended"),
)
AFTERWARDS = (
    *reveals({"conflict": CONFLICT}),
    *reveals({"last": THE_END}, "lines"),
    *reveals({"two": MIDDLE}, nightly=True),
    *reveals({"last": THE_END}, "sealed", "votes", "picks", "drops", nightly=True),
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
    Scene("ended-both-lines-analysis", ended(analyzed(BOTH_WIN)), "ended", nightly=True),
    Scene("ended-series", ended(with_options(THE_END, **series(2, 1, 1))), "ended"),
    Scene("ended-podium", ended(with_options(THE_END, **series(1, 2, 1, 1))), "ended"),
    Scene("ended-podium-mistake", ended(with_options(DECIDED, **series(1, 2, 1, 1))), "ended", nightly=True),
    Scene("ended-long-names", ended(with_long_names(THE_END)), "ended"),
    Scene("ended-sides", ended(with_secret_sides(THE_END, sides=SIDES_SUMMARY)), "ended"),
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
# Overlays and transparent modes: in the gallery only.
PRESENTING = (
    Scene("transparent", MIDDLE.voting, "voting", query="?obs=1", action=do.show_over_picture),
    Scene("keys", MIDDLE.voting, "voting", action=do.show_working_keys),
    Scene("keys-logged-out", MIDDLE.voting, "voting", action=do.show_keys),
    Scene("blank", MIDDLE.voting, "voting", action=do.press("b")),
    Scene("offline", MIDDLE.voting, "voting", action=do.go_offline),
    Scene("unknown", ScriptedMatch().lobby, "lobby", action=do.reject_display(CloseCode.NO_SUCH_EVENT)),
)
DISPLAY_SCENES = (*LOBBIES, *WINDOWS, *DUELS, *AFTERWARDS, *LOOKS)
DISPLAY_GALLERY = (*DISPLAY_SCENES, *PRESENTING)
