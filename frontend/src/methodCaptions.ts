// Generated from voting/counting/methods/ by `manage.py generate_protocol`. Edits here are lost.
import { formatNumber } from "./live/format";
import { n, t } from "./live/i18n";
import type { Deciding } from "./protocol";

/** What the captions under a pick contain. */
interface CaptionValues {
  ballots: number;
  share: string;
  round: number;
}

type Captions = { readonly [decision in Deciding]?: (values: CaptionValues) => string };

/** Captions under a pick. */
export const CAPTIONS: Captions = {
  approval: ({ ballots }) => n("of %(count)s voter approved", "of %(count)s voters approved", ballots, { count: formatNumber(ballots) }),
  lottery: ({ ballots }) => n("Drawn from %(count)s vote", "Drawn from %(count)s votes", ballots, { count: formatNumber(ballots) }),
  runoff: () => t("Majority in round 1"),
  score: () => t("of the possible points"),
};

/** Captions under a pick after several rounds of a runoff. */
export const ROUNDS_CAPTIONS: Captions = {
  runoff: ({ share, round }) => t("%(share)s ranked it first; wins in round %(round)s", { share, round }),
};
