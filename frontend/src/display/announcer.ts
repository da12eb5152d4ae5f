import type { Side } from "../protocol";
import { without } from "../board/before";
import { blockIn, hasLine, threats } from "../board/threats";
import { otherSide } from "../live/grid";
import { thousands } from "../live/format";
import { plural, tallyOf } from "./sides";
import type { CloseCall } from "./closecall";
import { nameOf, type Playing, type Sentence, type Told } from "./sentence";

const FOURS = ["simultaneous-captains-mistress", "single-selector", "captains-mistress"];
const SIDES: readonly Side[] = ["red", "yellow"];

/** What whoever looks at the board should know before the next vote; nothing where nothing is near. */
export function ahead(told: Playing): Sentence {
  const { match } = told;
  if (!FOURS.includes(match.game)) return [];
  const near = SIDES.map((side) => ({ side, columns: threats(match.board, side) })).filter(({ columns }) => columns.length > 0);
  const [one, other] = near;
  if (!one) return [];
  if (!other) return one.columns.length > 1 ? twice(told, one) : [nameOf(told, one.side), ` needs column ${one.columns[0]}`];
  const [mine, theirs] = [either(one.columns), either(other.columns)];
  if (mine === theirs) return [`Both need column ${mine}`];
  return [nameOf(told, one.side), ` needs ${mine}, `, nameOf(told, other.side), ` needs ${theirs}`];
}

function twice(told: Playing, { side, columns }: { side: Side; columns: readonly number[] }): Sentence {
  const last = columns[columns.length - 1];
  return [nameOf(told, side), ` threatens ${columns.slice(0, -1).join(", ")} and ${last}`];
}

function either(columns: readonly number[]): string {
  return columns.join(" or ");
}

/** For a side's own half of the screen: "needs column 4". */
export function need({ match }: Playing, side: Side): string {
  const columns = FOURS.includes(match.game) ? threats(match.board, side) : [];
  if (columns.length === 0) return "";
  return columns.length > 1 ? `needs ${either(columns)}` : `needs column ${columns[0]}`;
}

/** Both went for the same column, and one of them would have won there. */
export function bothSaw({ match, reveal }: Told): boolean {
  const { conflict, drops } = reveal.resolution;
  if (conflict === null || !FOURS.includes(match.game)) return false;
  const before = without(match.board, drops);
  return SIDES.some((side) => threats(before, side).includes(conflict));
}

/** What the drops came to, where that is more than two balls. */
export function happened(told: Told): Sentence {
  const { match, reveal } = told;
  const { drops } = reveal.resolution;
  const block = FOURS.includes(match.game) ? blockIn(without(match.board, drops), drops) : null;
  if (!block) return [];
  return [nameOf(told, block.side), " stops ", nameOf(told, otherSide(block.side)), ` in ${block.column}`];
}

/** Both made their four in the same turn. */
export function isDouble({ match, reveal }: Told, winner: Side): boolean {
  return reveal.resolution.lines.length > 0 && FOURS.includes(match.game) && hasLine(match.board, otherSide(winner));
}

export function secondLook(told: Told, call: CloseCall | null): Sentence {
  if (!call) return [];
  if (call.kind === "conflict") return ["Once more: the token decided it"];
  if (call.margin > 0) return [nameOf(told, call.side), `: ${call.first} before ${call.second} by ${plural(call.margin, "vote")}`];
  const votes = thousands(tallyOf(told.reveal, call.side)?.counts[call.first - 1] ?? 0);
  const by = tallyOf(told.reveal, call.side)?.decided_by === "lot" ? "the lot says" : "first was";
  return [nameOf(told, call.side), `: ${votes} votes each, ${by} ${call.first}`];
}
