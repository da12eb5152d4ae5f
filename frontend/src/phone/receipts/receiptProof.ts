import { sha256 } from "@noble/hashes/sha2.js"; // `crypto.subtle` is missing on pages served over plain HTTP
import { matchingSeal } from "../../live/match/seals";
import type { ReceiptIssued, Reveal, Side, TurnSealed } from "../../protocol";
import type { Ballot } from "../ballot/ballot";
import { toHex } from "../ballot/blind";
import { isOwnBlind } from "./receiptChoices";
import type { CastChoice, Finding, Receipt } from "./receipt";

type ReceiptTurn = Pick<Receipt, "turn" | "number" | "epoch" | "side">;

/** Both sides' Merkle roots, as sealed and as revealed; null if this phone did not receive them. */
export interface Roots {
  sealed: TurnSealed | null;
  revealed: Reveal | null;
}

const SIDES = ["red", "yellow"] as const;
/** More choices than anyone makes between a choice and its acknowledgement. */
const MAX_CHOICES = 50;

/** The receipts, updated with the state of the current ballot. */
export function withBallot(kept: readonly Receipt[], ballot: Ballot, place: ReceiptTurn): readonly Receipt[] {
  const { turn, sequence, choice, blind, status } = ballot;
  if (turn !== place.turn || choice === null || !blind || ballot.elsewhere) return kept;
  const before = kept.find((one) => one.turn === turn && one.side === place.side) ?? { ...place, choices: [], acknowledged: 0, watched: false, found: null, late: false, root: "" };
  if (status === "refused" && before.acknowledged === sequence) return kept;
  const others = before.choices.filter((one) => one[2] !== blind);
  const choices: CastChoice[] = status === "refused" ? others : [...others, [sequence, choice, blind]];
  const rest = kept.filter((one) => one.turn !== turn);
  const after = { ...before, choices };
  return choices.length ? [...rest, status === "counted" ? acknowledged(after, sequence) : after] : rest;
}

/** Choices made before the acknowledged one cannot count anymore. */
export function acknowledged(receipt: Receipt, sequence: number): Receipt {
  if (!receipt.choices.some((one) => one[0] >= sequence)) return receipt;
  const choices = receipt.choices.filter((one) => one[0] > sequence - MAX_CHOICES);
  return { ...receipt, choices, acknowledged: Math.max(sequence, receipt.acknowledged) };
}

/** The choices that may count. */
export function countableChoices({ choices, acknowledged }: Receipt): readonly CastChoice[] {
  const may = choices.filter((one) => one[0] >= acknowledged);
  return may.length ? may : choices;
}

/** The receipt with the finding from the server's answer. `shared`: another device may use the same seat. */
export function withFinding(receipt: Receipt, answer: ReceiptIssued, { sealed, revealed }: Roots, shared: boolean): Receipt {
  const seal = revealed && matchingSeal(revealed, sealed);
  const inTime = seal?.at === revealed?.sealed_at;
  const honest = !seal || (inTime && SIDES.every((side) => sideRoot(seal, side) === sideRoot(revealed, side)));
  const published = sideRoot(revealed, receipt.side);
  const expected = revealed ? published : sideRoot(sealed, receipt.side);
  const lead = (one: CastChoice) => (honest && answer.side === receipt.side ? rootFromPath(leafHash(receipt, one), answer) : null);
  const is = (found: Finding, late: boolean, one: CastChoice, root: string) => ({ ...receipt, found, late, choices: [one], root });

  const own = countableChoices(receipt);
  const isLate = (one: CastChoice) => one !== own[own.length - 1];
  const checked = own.find((one) => expected && lead(one) === expected);
  if (checked) return is("checked", isLate(checked), checked, expected!);
  const { choice, blind } = answer;
  const other: CastChoice | null = shared && choice && blind && !isOwnBlind(receipt, blind) ? [0, choice, blind] : null;
  const theirs = other && lead(other);
  if (theirs && (theirs === expected || !published)) return is("elsewhere", false, other, theirs);
  const listed = own.find((one) => one[1] === choice && one[2] === blind);
  const led = listed && !published && lead(listed);
  if (led) return is("counted", isLate(listed), listed, led);
  const late = !receipt.acknowledged;
  return is(late ? "late" : receipt.watched || (seal && inTime) ? "missing" : "unsure", late, own[0]!, published ?? "");
}

function sideRoot(roots: { [side in Side]: { root: string | null } | null } | null, side: Side): string | null {
  return roots?.[side]?.root ?? null;
}

const hash = (bytes: readonly number[]) => toHex([...sha256(Uint8Array.from(bytes))]);
const toBytes = (hex: string) => (hex.match(/../g) ?? []).map((pair) => parseInt(pair, 16));

export function leafHash({ turn, side }: Pick<Receipt, "turn" | "side">, [, choice, blind]: CastChoice): string {
  return textHash(`\0${turn}:${side}:${choice}:${blind}`);
}

export function nodeHash(left: string, right: string): string {
  return hash([1, ...toBytes(left + right)]);
}

/** The SHA-256 of an ASCII text. */
export function textHash(text: string): string {
  return hash([...text].map((char) => char.charCodeAt(0)));
}

/**
 * The root computed from a leaf and its inclusion proof (RFC 9162, 2.1.3.2); null if the proof has the wrong length.
 */
export function rootFromPath(leaf: string, { index, ballots, path }: Pick<ReceiptIssued, "index" | "ballots" | "path">): string | null {
  if (index === null || index >= ballots) return null;
  let [place, last, root, next] = [index, ballots - 1, leaf, 0];
  for (; last > 0; place >>= 1, last >>= 1) {
    if (!(place & 1) && place === last) continue;
    const beside = path[next++];
    if (!beside) return null;
    root = place & 1 ? nodeHash(beside, root) : nodeHash(root, beside);
  }
  return next === path.length ? root : null;
}
