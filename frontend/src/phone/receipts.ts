import { sealOf } from "../live/seals";
import type { ReceiptTold, Reveal, Side, TurnSealed } from "../protocol";
import type { Ballot } from "./ballot";
import { hexOf } from "./blind";
import { isOwn } from "./kept";
import type { Choice, Finding, Receipt } from "./receipt";
import { sha256 } from "./sha256";

type Place = Pick<Receipt, "turn" | "number" | "epoch" | "side">;

/** Both sides' roots as they were sealed and as they were revealed; null: this phone did not hear it. */
export interface Roots {
  sealed: TurnSealed | null;
  revealed: Reveal | null;
}

const SIDES = ["red", "yellow"] as const;
/** More than anybody presses between a choice and its acknowledgement. */
const REMEMBERED = 50;

/** The receipts with what happened to the ballot in hand. */
export function held(kept: readonly Receipt[], ballot: Ballot, place: Place): readonly Receipt[] {
  const { turn, sequence, column, blind, status } = ballot;
  if (turn !== place.turn || column === null || !blind || ballot.elsewhere) return kept;
  const before = kept.find((one) => one.turn === turn && one.side === place.side) ?? { ...place, choices: [], acknowledged: 0, watched: false, found: null, late: false, root: "" };
  if (status === "refused" && before.acknowledged === sequence) return kept;
  const others = before.choices.filter((choice) => choice[2] !== blind);
  const choices: Choice[] = status === "refused" ? others : [...others, [sequence, column, blind]];
  const rest = kept.filter((one) => one.turn !== turn);
  const after = { ...before, choices };
  return choices.length ? [...rest, status === "counted" ? acknowledged(after, sequence) : after] : rest;
}

/** What was pressed before the acknowledged choice cannot count any more. */
export function acknowledged(receipt: Receipt, sequence: number): Receipt {
  if (!receipt.choices.some((choice) => choice[0] >= sequence)) return receipt;
  const choices = receipt.choices.filter((choice) => choice[0] > sequence - REMEMBERED);
  return { ...receipt, choices, acknowledged: Math.max(sequence, receipt.acknowledged) };
}

/** Those that may count. */
export function standing({ choices, acknowledged }: Receipt): readonly Choice[] {
  const may = choices.filter((choice) => choice[0] >= acknowledged);
  return may.length ? may : choices;
}

/** The receipt with what the server's answer comes to; `shared`: whether another device may have the same seat. */
export function judged(receipt: Receipt, told: ReceiptTold, { sealed, revealed }: Roots, shared: boolean): Receipt {
  const seal = revealed && sealOf(revealed, sealed);
  const honest = !seal || SIDES.every((side) => rootOf(seal, side) === rootOf(revealed, side));
  const published = rootOf(revealed, receipt.side);
  const expected = published ?? rootOf(revealed ? seal : sealed, receipt.side);
  const lead = (choice: Choice) => (honest && told.side === receipt.side ? rootOfPath(leafOf(receipt, choice), told) : null);
  const is = (found: Finding, late: boolean, choice: Choice, root: string) => ({ ...receipt, found, late, choices: [choice], root });

  const own = standing(receipt);
  const at = own.findIndex((choice) => expected && lead(choice) === expected);
  if (at >= 0) return is("checked", at < own.length - 1, own[at]!, expected!);
  const { column, blind } = told;
  const other: Choice | null = shared && column && blind && !isOwn(receipt, blind) ? [0, column, blind] : null;
  const theirs = other && lead(other);
  if (theirs && (theirs === expected || !published)) return is("elsewhere", false, other, theirs);
  const led = published ? null : lead(own[0]!);
  if (led) return is("counted", false, own[0]!, led);
  const late = !receipt.acknowledged;
  return is(late ? "late" : receipt.watched || seal ? "missing" : "unsure", late, own[0]!, published ?? "");
}

function rootOf(roots: { [side in Side]: { root: string | null } | null } | null, side: Side): string | null {
  return roots?.[side]?.root ?? null;
}

const bytesOf = (hex: string) => (hex.match(/../g) ?? []).map((pair) => parseInt(pair, 16));

export function leafOf({ turn, side }: Pick<Receipt, "turn" | "side">, [, column, blind]: Choice): string {
  const content = `${turn}:${side}:${column}:${blind}`;
  return hexOf(sha256([0, ...[...content].map((letter) => letter.charCodeAt(0))]));
}

/** The root that a path leads to from a leaf (RFC 9162, 2.1.3.2); null if the path is not of that shape. */
export function rootOfPath(leaf: string, { index, ballots, path }: Pick<ReceiptTold, "index" | "ballots" | "path">): string | null {
  if (index === null || index >= ballots) return null;
  let [place, last, root, next] = [index, ballots - 1, leaf, 0];
  for (; last > 0; place >>= 1, last >>= 1) {
    if (!(place & 1) && place === last) continue;
    const beside = path[next++];
    if (!beside) return null;
    root = hexOf(sha256([1, ...bytesOf(place & 1 ? beside + root : root + beside)]));
  }
  return next === path.length ? root : null;
}
