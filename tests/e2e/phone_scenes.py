"""The scenes of the phone by name: the state that is sent and the actions that follow."""

from functools import partial

from tests.e2e import scene_actions as do
from tests.e2e.scene_setup import (
    CONFLICT,
    CONSENT,
    DAY_MS,
    FULL,
    MIDDLE,
    NOTICE,
    RIVER,
    STEPS,
    THE_END,
    Scene,
    at_step,
    chosen,
    duelled,
    ended,
    long_named,
    on_terms,
    own_counts,
    rated,
    rejected,
    reveals,
    secretly,
)
from tests.e2e.scripted_match import Tale, hands, make_tale, series
from voting.protocol import CloseCode

COUNTED = chosen(MIDDLE, own_counts=True)
SECRET = secretly(MIDDLE)
SO_FAR = (own_counts(MIDDLE),)
DAYS = partial(duelled(MIDDLE, 3 * 86_400, 2 * DAY_MS, 3 * DAY_MS).voting, left_ms=2 * DAY_MS - 4_000_000)

LOBBIES = (
    Scene("lobby", Tale().lobby, "lobby"),
    Scene("lobby-yellow", Tale().lobby, "lobby", team=2),
    Scene("lobby-german", Tale().lobby, "lobby", query="?locale=de"),
    Scene("lobby-chinese", Tale().lobby, "lobby", query="?locale=zh"),
    Scene("lobby-long-names", long_named(Tale()).lobby, "lobby"),
    Scene("aborted", MIDDLE.aborted, "lobby"),
)
WINDOWS = (
    Scene("talk", MIDDLE.talk, "talk"),
    Scene("voting", MIDDLE.voting, "voting"),
    Scene("voting-yellow", MIDDLE.voting, "voting", team=2),
    Scene("voting-german", MIDDLE.voting, "voting", hand=do.pick, query="?locale=de"),
    Scene("voting-chinese", MIDDLE.voting, "voting", hand=do.pick, query="?locale=zh"),
    Scene("voting-sending", MIDDLE.voting, "voting", hand=do.pick_unheard),
    Scene("voting-counted", MIDDLE.voting, "voting", hand=do.pick),
    Scene("voting-refused", MIDDLE.voting, "voting", hand=do.pick_too_late),
    Scene("voting-last-seconds", partial(MIDDLE.voting, left_ms=7_500), "voting", hand=do.pick),
    Scene("voting-own-counts", COUNTED.voting, "voting", more=SO_FAR),
    Scene("voting-own-counts-picked", COUNTED.voting, "voting", more=SO_FAR, hand=do.pick),
    Scene("voting-six-columns", make_tale((2, 3), (4, 4), columns=6).voting, "voting", team=2),
    Scene("voting-notice", chosen(MIDDLE, notice=NOTICE).voting, "voting"),
    Scene("voting-peek", chosen(MIDDLE, peek=True).voting, "voting"),
    Scene(
        "voting-approval", on_terms(MIDDLE, tally_method="approval").voting, "voting", hand=do.pick_several
    ),
    Scene(
        "voting-ranked",
        on_terms(MIDDLE, tally_method="instant_runoff").voting,
        "voting",
        hand=do.pick_several,
    ),
    Scene("voting-resign", on_terms(MIDDLE, resign="half").voting, "voting", hand=do.wish_to_resign),
    Scene("voting-moved", MIDDLE.voting, "voting", hand=do.moved),
    Scene("hands", chosen(MIDDLE, **hands("red")).voting, "voting"),
    Scene("paused", MIDDLE.paused, "paused"),
    Scene("closed", MIDDLE.sealed, "sealed"),
    Scene("sealed", MIDDLE.sealed, "sealed", hand=do.sealed),
    Scene("sealed-voted", MIDDLE.voting, "voting", hand=do.sealed_after_vote(MIDDLE)),
    Scene("sealed-own-counts", COUNTED.voting, "voting", more=SO_FAR, hand=do.sealed_after_vote(COUNTED)),
)
DUELS = (
    Scene("duel", duelled(MIDDLE).voting, "voting", hand=do.see_clocks()),
    Scene("duel-picked", duelled(MIDDLE).voting, "voting", hand=do.pick_in_duel),
    Scene("duel-other-picked", duelled(MIDDLE).voting, "voting", team=2, hand=do.see_clocks(1)),
    Scene("duel-of-days", DAYS, "voting", hand=do.pick_in_duel),
    Scene("duel-ended", rated(THE_END), "ended"),
)
AFTERWARDS = (
    *reveals({"two": MIDDLE, "conflict": CONFLICT}),
    *reveals({"full": FULL}, "drops"),
    Scene("reveal-own-votes", MIDDLE.voting, "voting", hand=do.voted(MIDDLE, STEPS["votes"])),
    Scene("reveal-own-picks", MIDDLE.voting, "voting", hand=do.voted(MIDDLE, STEPS["picks"])),
    Scene("reveal-german", at_step(STEPS["picks"], CONFLICT), "reveal", query="?locale=de"),
    Scene("reveal-last", at_step(54_000, THE_END), "reveal"),
    Scene("ended-won", ended(THE_END), "ended"),
    Scene("ended-lost", ended(THE_END), "ended", team=2),
    Scene("ended-sides", ended(secretly(THE_END, sides=RIVER, turn_points=True)), "ended"),
    Scene("ended-series", ended(chosen(THE_END, **series(1, 2, 1, 1))), "ended"),
)
WITHOUT_A_SEAT = (
    Scene("lost", MIDDLE.voting, "voting", hand=do.cut),
    Scene("door", Tale().lobby, "joining", hand=do.crowded, answer=do.LATER),
    Scene("door-in-a-turn", MIDDLE.voting, "voting", hand=do.crowded),
    Scene("sent-out", MIDDLE.voting, "voting", hand=do.sent_away(CloseCode.KICKED)),
    Scene("kept-out", MIDDLE.voting, "voting", hand=do.sent_away(CloseCode.BANNED)),
    Scene("open-elsewhere", MIDDLE.voting, "voting", hand=do.sent_away(CloseCode.OPEN_ELSEWHERE)),
    Scene("out-of-date", MIDDLE.voting, "voting", hand=do.sent_away(CloseCode.BAD_FRAME)),
    Scene("no-such-event", Tale().lobby, "joining", hand=do.no_such_event, answer=do.LATER),
    Scene("choice", Tale().lobby, "joining", answer=rejected("team_needed", Tale())),
    Scene("key-asked", Tale().lobby, "joining", answer=rejected("key_needed", Tale(), admission="rotating")),
    Scene("key-wrong", Tale().lobby, "joining", answer=rejected("key_wrong", Tale(), admission="rotating")),
    Scene("key-ticket", Tale().lobby, "joining", answer=rejected("key_needed", Tale(), admission="tickets")),
    Scene("key-name", Tale().lobby, "joining", answer=rejected("key_needed", Tale(), admission="roster")),
    Scene("key-used", Tale().lobby, "joining", answer=rejected("key_used", Tale(), admission="tickets")),
    Scene("handed-on", chosen(Tale(), admission="tickets").lobby, "lobby", hand=do.handed_on),
    Scene("doors-closed", Tale().lobby, "joining", answer=rejected("lobby_closed", Tale(), lobby="closed")),
    Scene("doors-locked", Tale().lobby, "joining", answer=rejected("joining_locked", Tale(), lobby="locked")),
    Scene("hands-only", Tale().lobby, "joining", answer=rejected("hands_only", Tale(), **hands("red"))),
)
HIDDEN = Scene("voting-hidden", MIDDLE.voting, "voting", hand=do.pick_hidden)
PHONE_SCENES = (*LOBBIES, *WINDOWS, *DUELS, HIDDEN, *AFTERWARDS, *WITHOUT_A_SEAT)

# In the gallery only: an open card covers text; a long name is cut after two lines.
PHONE_LOOKED_AT = (
    *PHONE_SCENES,
    Scene("lobby-study", chosen(Tale(), consent=CONSENT).lobby, "lobby", hand=do.read),
    Scene("ended-card", ended(THE_END), "ended", hand=do.open_card),
    Scene("voting-long-names", long_named(MIDDLE).voting, "voting", team=2),
    Scene("sides-between", at_step(STEPS["lines"], SECRET), "reveal", hand=do.open_sides),
    Scene("sides-looked-at", at_step(STEPS["lines"], SECRET), "reveal", hand=do.reveal_side),
)
