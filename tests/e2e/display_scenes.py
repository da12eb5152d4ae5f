"""The scenes of the display by name: the state that is sent and the actions that follow."""

from functools import partial

from tests.e2e import scene_actions as do
from tests.e2e.scene_setup import (
    CONFLICT,
    DAY_MS,
    FULL,
    MIDDLE,
    NOTICE,
    RIVER,
    THE_END,
    Scene,
    at_step,
    chosen,
    duelled,
    ended,
    long_named,
    rated,
    reveals,
    secretly,
)
from tests.e2e.scripted_match import Tale, hands, make_tale, series
from voting.admission.links import qr_rows
from voting.protocol import CheersCounted, CloseCode, KeyShown

KEYED = "http://play.example/Q7RM#R7KQ2"
KEY = KeyShown(key="R7KQ2", until_at=4_000_000_000_000, join_url=KEYED, qr=qr_rows(KEYED))

DAYS = partial(duelled(MIDDLE, 3 * 86_400, 2 * DAY_MS, 3 * DAY_MS).voting, left_ms=2 * DAY_MS - 4_000_000)

LOBBIES = (
    Scene("lobby", Tale().lobby, "lobby"),
    Scene("lobby-closed", chosen(Tale(), lobby="closed").lobby, "lobby"),
    Scene("lobby-locked", chosen(Tale(), lobby="locked").lobby, "lobby"),
    Scene("lobby-key", chosen(Tale(), admission="rotating").lobby, "lobby", more=(KEY,)),
    Scene("lobby-tickets", chosen(Tale(), admission="tickets").lobby, "lobby"),
    Scene("lobby-cheers", Tale().lobby, "lobby", more=(CheersCounted(presses=(140, 65)),)),
    Scene("lobby-hidden", chosen(Tale(), hidden=("code", "turnout")).lobby, "lobby"),
    Scene("lobby-series", chosen(Tale(), **series(1, 2)).lobby, "lobby"),
    Scene("lobby-notice", chosen(Tale(), notice=NOTICE).lobby, "lobby"),
    Scene("lobby-long-names", long_named(Tale()).lobby, "lobby"),
)
WINDOWS = (
    Scene("talk", MIDDLE.talk, "talk"),
    Scene("voting", MIDDLE.voting, "voting"),
    Scene("voting-first", Tale().voting, "voting"),
    Scene("voting-last-seconds", partial(MIDDLE.voting, left_ms=7_500), "voting"),
    Scene("voting-notice", chosen(MIDDLE, notice=NOTICE).voting, "voting"),
    Scene("voting-hidden", chosen(MIDDLE, hidden=("code", "turnout")).voting, "voting"),
    Scene("voting-peek", chosen(MIDDLE, peek=True, own_counts=True).voting, "voting"),
    Scene("voting-hands", chosen(MIDDLE, **hands("yellow")).voting, "voting"),
    Scene("voting-six-columns", make_tale((2, 3), (4, 4), columns=6).voting, "voting"),
    Scene("voting-long-names", long_named(MIDDLE).voting, "voting"),
    Scene("paused", MIDDLE.paused, "paused"),
    Scene("closed", MIDDLE.sealed, "sealed"),
    Scene("sealed", MIDDLE.sealed, "sealed", hand=do.sealed),
    Scene("sealed-by-all", MIDDLE.sealed, "sealed", hand=do.sealed_by_all),
)
DUELS = (
    Scene("duel", duelled(MIDDLE).voting, "voting", hand=do.receive_picks()),
    Scene("duel-picked", duelled(MIDDLE).voting, "voting", hand=do.receive_picks(2)),
    Scene("duel-of-days", DAYS, "voting", hand=do.receive_picks(1)),
    Scene("duel-ended", rated(THE_END), "ended"),
)
AFTERWARDS = (
    *reveals({"two": MIDDLE, "conflict": CONFLICT, "last": THE_END}),
    *reveals({"full": FULL}, "picks", "drops"),
    Scene("reveal-tally-hidden", at_step(20_000, chosen(MIDDLE, hidden=("tally",))), "reveal"),
    Scene("ended", ended(THE_END), "ended"),
    Scene("ended-series", ended(chosen(THE_END, **series(2, 1, 1))), "ended"),
    Scene("ended-podium", ended(chosen(THE_END, **series(1, 2, 1, 1))), "ended"),
    Scene("ended-long-names", ended(long_named(THE_END)), "ended"),
    Scene("ended-sides", ended(secretly(THE_END, sides=RIVER)), "ended"),
    Scene("aborted", MIDDLE.aborted, "ended"),
)
LOOKS = (
    Scene("back-side", MIDDLE.voting, "voting", query="?side=back"),
    Scene("wood", MIDDLE.voting, "voting", query="?theme=wood"),
    Scene("home-red", MIDDLE.voting, "voting", query="?home=red"),
    Scene("home-leads", partial(MIDDLE.voting, left_ms=19_500), "voting", query="?home=yellow"),
    Scene("home-chose", at_step(20_000, MIDDLE), "reveal", query="?home=yellow&side=back"),
    Scene("home-talks", MIDDLE.talk, "talk", query="?home=yellow"),
    Scene("home-won", ended(THE_END), "ended", query="?home=red"),
)
# Overlays and transparent modes: in the gallery only.
PRESENTING = (
    Scene("over-a-picture", MIDDLE.voting, "voting", query="?obs=1", hand=do.over_a_picture),
    Scene("keys", MIDDLE.voting, "voting", hand=do.show_working_keys),
    Scene("keys-logged-out", MIDDLE.voting, "voting", hand=do.show_keys),
    Scene("blank", MIDDLE.voting, "voting", hand=do.press("b")),
    Scene("lost", MIDDLE.voting, "voting", hand=do.cut),
    Scene("unknown", Tale().lobby, "lobby", hand=do.turned_away(CloseCode.NO_SUCH_EVENT)),
)
DISPLAY_SCENES = (*LOBBIES, *WINDOWS, *DUELS, *AFTERWARDS, *LOOKS)
DISPLAY_LOOKED_AT = (*DISPLAY_SCENES, *PRESENTING)
