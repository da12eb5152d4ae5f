import type { CloseCall, Side } from "../../protocol";
import { withoutDrops } from "../../board/boardBefore";
import { hasLine, threats } from "../../board/threats";
import { otherSide } from "../../live/match/grid";
import { formatNumber } from "../../live/format";
import { hasPoints } from "../../live/match/support";
import { pluralize, tallyForSide } from "../scene/places";
import { teamName, type MatchContext, type Sentence, type RevealContext } from "./sentence";

const LINE_GAMES = ["simultaneous-captains-mistress", "single-selector", "captains-mistress"];
const SIDES: readonly Side[] = ["red", "yellow"];

/** A hint about threats on the board before the next vote; empty if there is none. */
export function threatSentence(context: MatchContext): Sentence {
  const { match } = context;
  if (!LINE_GAMES.includes(match.game)) return [];
  const near = SIDES.map((side) => ({ side, columns: threats(match.board, side) })).filter(({ columns }) => columns.length > 0);
  const [one, other] = near;
  if (!one) return [];
  if (!other) return one.columns.length > 1 ? doubleThreat(context, one) : [teamName(context, one.side), ` needs column ${one.columns[0]}`];
  const [mine, theirs] = [joinOr(one.columns), joinOr(other.columns)];
  if (mine === theirs) return [`Both need column ${mine}`];
  return [teamName(context, one.side), ` needs ${mine}, `, teamName(context, other.side), ` needs ${theirs}`];
}

function doubleThreat(context: MatchContext, { side, columns }: { side: Side; columns: readonly number[] }): Sentence {
  const last = columns[columns.length - 1];
  return [teamName(context, side), ` threatens ${columns.slice(0, -1).join(", ")} and ${last}`];
}

function joinOr(columns: readonly number[]): string {
  return columns.join(" or ");
}

/** For a side's own half of the screen: "needs column 4". */
export function threatLabel({ match }: MatchContext, side: Side): string {
  const columns = LINE_GAMES.includes(match.game) ? threats(match.board, side) : [];
  if (columns.length === 0) return "";
  return columns.length > 1 ? `needs ${joinOr(columns)}` : `needs column ${columns[0]}`;
}

/** Whether both picked the same column and one of them would have won there. */
export function isThreatConflict({ match, reveal }: RevealContext): boolean {
  const { conflict, drops } = reveal.resolution;
  if (conflict === null || !LINE_GAMES.includes(match.game)) return false;
  const before = withoutDrops(match.board, drops);
  return SIDES.some((side) => threats(before, side).includes(conflict));
}

/** A sentence if a drop of this turn blocked the other side's line of four; else empty. */
export function blockSentence(context: RevealContext): Sentence {
  const { block } = context.reveal.resolution;
  if (!block) return [];
  return [teamName(context, block.side), " stops ", teamName(context, otherSide(block.side)), ` in ${block.column}`];
}

/** Whether both sides completed four in a row in the same turn. */
export function isDoubleLine({ match, reveal }: RevealContext, winner: Side): boolean {
  return reveal.resolution.lines.length > 0 && LINE_GAMES.includes(match.game) && hasLine(match.board, otherSide(winner));
}

export function closeCallSentence(context: RevealContext, call: CloseCall | null): Sentence {
  if (!call) return [];
  if (call.kind === "conflict") return ["Replay: the token decided it"];
  const { first, second } = call;
  const unit = hasPoints(context.match) ? "point" : "vote";
  if (call.margin > 0) return [teamName(context, call.side), `: ${first} beat ${second} by ${pluralize(call.margin, unit)}`];
  const votes = formatNumber(tallyForSide(context.reveal, call.side)?.counts[(first ?? 0) - 1] ?? 0);
  const by = tallyForSide(context.reveal, call.side)?.decided_by === "lot" ? "was drawn at random" : "got there first";
  return [teamName(context, call.side), `: ${votes} ${unit}s each, ${first} ${by}`];
}
