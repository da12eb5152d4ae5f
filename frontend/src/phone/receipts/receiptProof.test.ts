import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import type { ReceiptIssued, Reveal, SideTally, TurnSealed } from "../../protocol";
import { NO_BALLOT, type Ballot } from "../ballot/ballot";
import { drawBlind } from "../ballot/blind";
import type { Receipt } from "./receipt";
import { acknowledged, withBallot, withFinding as judge, leafHash, rootFromPath, type Roots } from "./receiptProof";

const hash = (...parts: Buffer[]) => createHash("sha256").update(Buffer.concat(parts)).digest();
const node = (left: Buffer, right: Buffer) => hash(Buffer.from([1]), left, right);

/** As in RFC 6962: split at the largest power of two below the number of leaves. */
function split(count: number): number {
  return 2 ** Math.ceil(Math.log2(count) - 1);
}

function merkleRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!;
  const at = split(leaves.length);
  return node(merkleRoot(leaves.slice(0, at)), merkleRoot(leaves.slice(at)));
}

function merklePath(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  const at = split(leaves.length);
  const [left, right] = [leaves.slice(0, at), leaves.slice(at)];
  return index < at ? [...merklePath(index, left), merkleRoot(right)] : [...merklePath(index - at, right), merkleRoot(left)];
}

const PLACE = { turn: 41, number: 7, epoch: 1, side: "red" } as const;
const BLINDS = Array.from({ length: 21 }, (_, i) => i.toString(16).padStart(32, "5"));
const content = (choice: number, blind: string) => Buffer.from(`\0${PLACE.turn}:${PLACE.side}:${choice}:${blind}`);
const ELSEWHERE = "0".repeat(64);
const LEAVES = BLINDS.map((blind, i) => hash(content((i % 7) + 1, blind)));

function receiptAnswer(index: number | null, count = LEAVES.length): ReceiptIssued {
  const path = index === null ? [] : merklePath(index, LEAVES.slice(0, count)).map((one) => one.toString("hex"));
  const [choice, blind] = index === null || index >= count ? [null, null] : [(index % 7) + 1, BLINDS[index]!];
  return { type: "receipt.issued", turn: PLACE.turn, side: "red", index, ballots: count, path, choice, blind };
}

function ballot(sequence: number, choice: number, blind: string, status: Ballot["status"]): Ballot {
  return { ...NO_BALLOT, turn: PLACE.turn, sequence, choice, blind, status };
}

function receipt(...ballots: Ballot[]): Receipt {
  return ballots.reduce<readonly Receipt[]>((kept, one) => withBallot(kept, one, PLACE), [])[0]!;
}

function tally(root: string | null): SideTally {
  return { counts: [], ballots: 0, pick: null, decided_by: "plurality", root, rounds: null, resigning: 0, draw_votes: 0 };
}

const ROOT = merkleRoot(LEAVES).toString("hex");
const commitment = (root: string) => ({ root, ballots: 21, order: null });
const SEALED_AT = 1000;
type Seal = Pick<TurnSealed, "red" | "yellow">;
const sealedAt = (at: number, both: Seal) => ({ type: "turn.sealed", epoch: 1, turn_commitment: null, turn: PLACE.turn, at, ...both }) as const;
const sealedWith = (both: Seal) => sealedAt(SEALED_AT, both);
const revealedWith = (both: Pick<Reveal, "red" | "yellow">) => ({ turn: PLACE.turn, sealed_at: SEALED_AT, ...both }) as Reveal;
const SEEN: Roots = { sealed: sealedWith({ red: commitment(ROOT), yellow: null }), revealed: revealedWith({ red: tally(ROOT), yellow: null }) };
/** The receipt of the counted vote in leaf 3. */
const COUNTED = receipt(ballot(1, 4, BLINDS[3]!, "counted"));

/** The finding of a phone that was always connected, on its own seat. */
function withFinding(kept: Receipt, answer: ReceiptIssued, roots: Roots): Receipt {
  return judge({ ...kept, watched: true }, answer, roots, false);
}

test("a path leads to the root only from its own leaf, for every tree size", () => {
  for (let count = 1; count <= LEAVES.length; count++) {
    const root = merkleRoot(LEAVES.slice(0, count)).toString("hex");
    for (let index = 0; index < count; index++) {
      const leaf = leafHash(PLACE, [1, (index % 7) + 1, BLINDS[index]!]);
      assert.equal(leaf, LEAVES[index]!.toString("hex"));
      assert.equal(rootFromPath(leaf, receiptAnswer(index, count)), root, `${index} of ${count}`);
      for (const other of [index + 1, index - 1]) {
        const elsewhere = { ...receiptAnswer(index, count), index: other };
        if (other >= 0) assert.notEqual(rootFromPath(leaf, elsewhere), root, `${index} of ${count} said to be ${other}`);
      }
    }
  }
});

test("a path that is too short or too long is invalid", () => {
  const leaf = leafHash(PLACE, [1, 4, BLINDS[3]!]);
  const answer = receiptAnswer(3);
  assert.equal(rootFromPath(leaf, { ...answer, path: answer.path.slice(1) }), null);
  assert.equal(rootFromPath(leaf, { ...answer, path: [...answer.path, ROOT] }), null);
  assert.equal(rootFromPath(leaf, { ...answer, index: 21 }), null);
});

test("a counted vote is checked, and the receipt stores the root", () => {
  const { found, late, root } = withFinding(COUNTED, receiptAnswer(3), SEEN);
  assert.deepEqual({ found, late, root }, { found: "checked", late: false, root: ROOT });
});

test("a wrong column, blind, side or path is detected", () => {
  const bent = { ...receiptAnswer(3), path: [ROOT, ...receiptAnswer(3).path.slice(1)] };
  const cases = [
    [receipt(ballot(1, 5, BLINDS[3]!, "counted")), receiptAnswer(3)],
    [receipt(ballot(1, 4, BLINDS[4]!, "counted")), receiptAnswer(3)],
    [COUNTED, bent],
    [COUNTED, receiptAnswer(2)],
    [COUNTED, receiptAnswer(null)],
    [COUNTED, { ...receiptAnswer(3), side: "yellow" as const }],
  ] as const;
  for (const [kept, answer] of cases) assert.equal(withFinding(kept, answer, SEEN).found, "missing");
});

test("a root that differs from the sealed one is detected on either side", () => {
  const revealed = revealedWith({ red: tally(ROOT), yellow: tally(ROOT) });
  const both = { red: commitment(ROOT), yellow: commitment(ROOT) };
  assert.equal(withFinding(COUNTED, receiptAnswer(3), { sealed: sealedWith(both), revealed }).found, "checked");
  for (const side of ["red", "yellow"] as const) {
    const sealed = sealedWith({ ...both, [side]: commitment(ELSEWHERE) });
    assert.equal(withFinding(COUNTED, receiptAnswer(3), { sealed, revealed }).found, "missing", side);
  }
});

test("a reveal of another time than the seal's is not accepted", () => {
  const { revealed } = SEEN;
  for (const at of [SEALED_AT - 1, SEALED_AT + 1]) {
    const sealed = { ...SEEN.sealed!, at };
    assert.equal(withFinding(COUNTED, receiptAnswer(3), { sealed, revealed }).found, "missing", `${at}`);
    assert.equal(judge(COUNTED, receiptAnswer(3), { sealed, revealed }, false).found, "unsure", "the phone may have missed why");
  }
});

test("a seal without a reveal is not compared", () => {
  const sealed = sealedWith({ red: commitment(ELSEWHERE), yellow: commitment(ROOT) });
  assert.equal(withFinding(COUNTED, receiptAnswer(3), { sealed, revealed: null }).found, "counted");
});

test("a reveal has the roots of its seal", () => {
  const revealed = revealedWith({ red: tally(null), yellow: tally(null) });
  assert.equal(withFinding(COUNTED, receiptAnswer(3), { ...SEEN, revealed }).found, "missing");
  assert.equal(withFinding(COUNTED, receiptAnswer(3), { sealed: null, revealed }).found, "counted");
});

test("a later vote of the voter's other device is accepted if a seat may have two devices", () => {
  const other = judge(COUNTED, receiptAnswer(4), SEEN, true);
  assert.deepEqual([other.found, other.late, other.choices], ["elsewhere", false, [[0, 5, BLINDS[4]]]]);
  assert.equal(withFinding(COUNTED, receiptAnswer(4), SEEN).found, "missing", "one device, one seat");
  const late = receipt(ballot(1, 4, BLINDS[3]!, "sending"));
  assert.deepEqual([judge(late, receiptAnswer(4), SEEN, true).found, judge(late, receiptAnswer(4), SEEN, true).late], ["elsewhere", false]);
});

test("another device's vote must be in the count and must not be an earlier vote of this device", () => {
  const kept = { ...receipt(ballot(1, 4, BLINDS[3]!, "counted"), ballot(2, 5, BLINDS[4]!, "counted")), watched: true };
  assert.equal(judge(kept, receiptAnswer(3), SEEN, true).found, "missing");
  assert.equal(judge(kept, { ...receiptAnswer(5), choice: 7 }, SEEN, true).found, "missing");
  assert.equal(judge(kept, { ...receiptAnswer(5), index: 6 }, SEEN, true).found, "missing");
  const sealed = sealedWith({ red: commitment(ROOT), yellow: commitment(ELSEWHERE) });
  assert.equal(judge(kept, receiptAnswer(5), { ...SEEN, sealed }, true).found, "missing");
});

test("another device's vote does not replace this device's choices", () => {
  const foreign = { ...ballot(2, 5, BLINDS[4]!, "counted"), elsewhere: true };
  const kept = receipt(ballot(1, 4, BLINDS[3]!, "counted"), foreign);
  assert.deepEqual([kept.choices, kept.acknowledged], [[[1, 4, BLINDS[3]]], 1]);
});

test("a missing vote raises no alarm if the phone was disconnected at the end of the turn", () => {
  const away = { revealed: SEEN.revealed, sealed: null };
  assert.equal(judge(COUNTED, receiptAnswer(null), away, false).found, "unsure");
  assert.equal(judge(COUNTED, receiptAnswer(null), SEEN, false).found, "missing", "it received the seal of this count");
  assert.equal(withFinding(COUNTED, receiptAnswer(null), away).found, "missing");
  assert.equal(judge(COUNTED, receiptAnswer(3), away, false).found, "checked");
});

test("without a seal the reveal's root is used, without both the vote is only counted", () => {
  assert.equal(withFinding(COUNTED, receiptAnswer(3), { ...SEEN, sealed: null }).found, "checked");
  assert.equal(withFinding(COUNTED, receiptAnswer(3), { sealed: null, revealed: null }).found, "counted");
  assert.equal(withFinding(COUNTED, receiptAnswer(null), { sealed: null, revealed: null }).found, "missing");
});

test("an unacknowledged change may count, and so may the acknowledged choice before it", () => {
  const changed = receipt(ballot(1, 4, BLINDS[3]!, "counted"), ballot(2, 5, BLINDS[4]!, "sending"));
  assert.deepEqual([withFinding(changed, receiptAnswer(4), SEEN).found, withFinding(changed, receiptAnswer(4), SEEN).late], ["checked", false]);
  assert.deepEqual([withFinding(changed, receiptAnswer(3), SEEN).found, withFinding(changed, receiptAnswer(3), SEEN).late], ["checked", true]);
  assert.equal(withFinding(changed, receiptAnswer(5), SEEN).found, "missing");
});

test("without the roots, a counted choice is the one that the server lists", () => {
  const changed = receipt(ballot(1, 4, BLINDS[3]!, "counted"), ballot(2, 5, BLINDS[4]!, "sending"));
  const find = (listed: number) => withFinding(changed, receiptAnswer(listed), { sealed: null, revealed: null });
  for (const [listed, late] of [[3, true], [4, false]] as const) {
    const { found, late: isLate, choices } = find(listed);
    assert.deepEqual([found, isLate, choices[0]![2], choices.length], ["counted", late, BLINDS[listed], 1]);
  }
  assert.equal(find(5).found, "missing", "another voter's choice");
});

test("after an acknowledged change the earlier choice must not count", () => {
  const changed = receipt(ballot(1, 4, BLINDS[3]!, "counted"), ballot(2, 5, BLINDS[4]!, "counted"));
  assert.equal(withFinding(changed, receiptAnswer(3), SEEN).found, "missing");
  assert.equal(withFinding(changed, receiptAnswer(4), SEEN).found, "checked");
  const overtaken = receipt(ballot(1, 4, BLINDS[3]!, "sending"), ballot(2, 5, BLINDS[4]!, "sending"));
  assert.equal(withFinding(acknowledged(overtaken, 1), receiptAnswer(3), SEEN).found, "checked");
  assert.equal(withFinding(acknowledged(overtaken, 2), receiptAnswer(3), SEEN).found, "missing");
});

test("a vote that was never acknowledged was too late and raises no alarm", () => {
  const late = withFinding(receipt(ballot(1, 4, BLINDS[3]!, "sending")), receiptAnswer(null), SEEN);
  assert.deepEqual([late.found, late.late], ["late", true]);
});

test("a refused choice is dropped unless it was acknowledged before", () => {
  assert.equal(receipt(ballot(1, 4, BLINDS[3]!, "sending"), ballot(1, 4, BLINDS[3]!, "refused")), undefined);
  const kept = receipt(ballot(1, 4, BLINDS[3]!, "counted"), ballot(1, 4, BLINDS[3]!, "refused"));
  assert.equal(kept.acknowledged, 1);
  const standing = receipt(ballot(1, 4, BLINDS[3]!, "counted"), ballot(2, 5, BLINDS[4]!, "sending"), ballot(2, 5, BLINDS[4]!, "refused"));
  assert.deepEqual(standing.choices, [[1, 4, BLINDS[3]]]);
});

test("the same choice with a higher sequence is one choice with one blind", () => {
  const again = receipt(ballot(1, 4, BLINDS[3]!, "sending"), ballot(8, 4, BLINDS[3]!, "sending"));
  assert.deepEqual(again.choices, [[8, 4, BLINDS[3]]]);
});

test("a blind is sixteen random bytes in hex", () => {
  const drawn = Array.from({ length: 50 }, drawBlind);
  assert.ok(drawn.every((blind) => /^[0-9a-f]{32}$/.test(blind)));
  assert.equal(new Set(drawn).size, 50);
});
