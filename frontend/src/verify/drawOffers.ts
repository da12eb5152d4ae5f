import { asksForDraw } from "./choices";
import { SIDES, type MatchRecord, type Side } from "./record";
import { other } from "./rules/position";

export interface DrawOffers {
  /** The side whose offer stands. */
  readonly standing: Side | null;
  /** The side that offers a draw once its turn is revealed. */
  readonly concealed: Side | null;
  readonly agreed: boolean;
}

export const NO_OFFERS: DrawOffers = { standing: null, concealed: null, agreed: false };

/** The offers after a turn. An offer lapses unless the other side accepts it in its next turn. */
export function offersAfter({ standing, concealed }: DrawOffers, count: MatchRecord["counts"][number], isConcealed: boolean): DrawOffers {
  const wants = (side: Side) => {
    const ballots = count[side]?.ballots ?? [];
    return 2 * ballots.filter(([choice]) => asksForDraw(choice)).length > ballots.length;
  };
  const accepted = standing !== null && wants(other(standing));
  const left = standing && count[other(standing)] ? null : standing;
  if (isConcealed) return { standing: left, concealed: SIDES.find(wants) ?? null, agreed: accepted };
  const offering = SIDES.filter((side) => wants(side) || side === concealed);
  return { standing: offering[0] ?? left, concealed: null, agreed: accepted || offering.length === 2 };
}
