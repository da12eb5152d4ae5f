import type { Findings } from "./findings";
import { leafHash, nodeHash, toHex, TreeRoot, type Hash } from "./hashes";
import { SIDES, type MatchRecord, type Side, type SidesTurn } from "./record";
import { other } from "./rules/position";

/** Checks what a record discloses of secret sides: the commitments, and the numbers that follow from the side changes. */
export function checkSides(record: MatchRecord, findings: Findings): void {
  const { sides, counts, terms, result } = record;
  if (!sides && (!terms.max_side_changes || result === "open")) return;
  if (!sides) return findings.fail(null, null, "sides", "sides-missing");
  if (sides.length !== counts.length) return findings.fail(null, null, "sides", "sides-length");
  sides.forEach((_, index) => checkTurn(record, index, findings));
  findings.skip(null, null, "sides", "summary");
}

function checkTurn(record: MatchRecord, index: number, findings: Findings): void {
  const [turn, before] = [record.sides![index]!, record.sides![index - 1]];
  const commitment = toHex(nodeHash(ballotsRoot(record, index), changesRoot(record, index)));
  if (commitment !== turn.turn_commitment) return findings.fail(index, null, "sides", "commitment", turn.turn_commitment, commitment);
  if (!explains(turn, before)) return findings.fail(index, null, "sides", "numbers");
  const fits = SIDES.every((side) => (record.counts[index]![side]?.ballots.length ?? 0) <= turn.numbers[side]);
  findings.expect(fits, index, null, "sides", "voters");
}

function ballotsRoot({ counts }: MatchRecord, index: number): Hash {
  const [red, yellow] = SIDES.map((side) => counts[index]![side]).map((count) => (count ? fromHex(count.root) : new TreeRoot().root));
  return nodeHash(red!, yellow!);
}

function fromHex(text: string): Hash {
  return Uint8Array.from(text.match(/../g)!, (pair) => parseInt(pair, 16));
}

function changesRoot({ sides, counts }: MatchRecord, index: number): Hash {
  const changes = [...sides![index]!.side_changes].sort(([side, blind], [otherSide, other]) => (blind === other ? (side < otherSide ? -1 : 1) : blind < other ? -1 : 1));
  const tree = new TreeRoot();
  for (const [side, blind] of changes) tree.add(leafHash(`${counts[index]!.turn}:to ${side}:${blind}`));
  return tree.root;
}

/** Whether the numbers of a turn follow from its side changes and from the numbers before it. */
function explains({ numbers, side_changes }: SidesTurn, before: SidesTurn | undefined): boolean {
  const [toRed, toYellow] = SIDES.map((side) => side_changes.filter(([to]) => to === side).length);
  if (numbers.to_red !== toRed || numbers.to_yellow !== toYellow) return false;
  if (!before) return true;
  const moved = toRed! - toYellow!;
  return numbers.red === before.numbers.red + moved && numbers.yellow === before.numbers.yellow - moved;
}

/** The side that all its voters have left before a turn, or null. */
export function desertedSide({ sides }: MatchRecord, index: number): Side | null {
  const numbers = sides?.[index]?.numbers;
  if (!sides || !numbers) return null;
  const left = (side: Side) => sides.slice(0, index + 1).some((turn) => turn.numbers[side === "red" ? "to_yellow" : "to_red"] > 0);
  return SIDES.find((side) => !numbers[side] && numbers[other(side)] > 0 && left(side)) ?? null;
}
