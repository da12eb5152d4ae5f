import { t } from "../../live/i18n";
import type { Check, Finding, Outcome, Reason, Verdict } from "../findings";
import type { MatchState, Reopening, Restored, VoidReason } from "../record";
import type { OwnVote } from "./ownVotes";

export function checkName(check: Check): string {
  const names: Record<Check, string> = {
    form: t("Fields of the record"),
    draw: t("Draw at the start"),
    rules: t("Legal choices"),
    seed: t("Seed of the draws"),
    ballots: t("Ballots"),
    root: t("Seal"),
    counts: t("Count"),
    pick: t("Choice of the team"),
    played: t("Move"),
    result: t("Result"),
    sides: t("Secret sides"),
    box: t("Ballot box"),
    seals: t("Published seals"),
    voided: t("Void turns"),
    state: t("State of the match"),
    computer: t("Choice of the computer"),
  };
  return names[check];
}

export function outcomeName(outcome: Outcome): string {
  const names: Record<Outcome, string> = { passed: t("Passed"), failed: t("Failed"), unchecked: t("Not checked") };
  return names[outcome];
}

export function stateName(state: MatchState): string {
  const names: Record<MatchState, string> = { playing: t("The match goes on"), ended: t("The match is over"), aborted: t("Aborted without a result") };
  return names[state];
}

export const ownVoteText = ({ number, columns }: OwnVote): string => t("Turn %(turn)s, column %(column)s", { turn: number, column: columns.join(", ") });

export function foundText(found: OwnVote["found"]): string {
  const texts: Record<OwnVote["found"], string> = {
    counted: t("in the count"),
    elsewhere: t("a later choice from another device was counted"),
    late: t("came too late"),
    missing: t("not in the count"),
    unsure: t("not checked: this phone was offline when the turn ended"),
  };
  return texts[found];
}

/** Where the ballots came from after the ballot box was lost. */
export function restoredText(restored: Restored): string {
  const texts: Record<Restored, string> = {
    phones: t("The ballot box was lost. The phones sent their votes again."),
    database: t("The ballot box was lost. The votes came back from the database."),
    backup: t("A backup was restored. The phones sent their votes again."),
  };
  return texts[restored];
}

/** Why a seal doesn't count. */
export function reopeningText(reason: Reopening): string {
  const texts: Record<Reopening, string> = {
    time_added: t("Time was added after this seal, so it doesn’t count."),
    box_lost: t("The ballot box was lost after this seal, so it doesn’t count."),
  };
  return texts[reason];
}

/** Why a turn doesn't count. */
export function voidReasonText(reason: VoidReason | null): string {
  if (reason === null) return t("The record gives no reason.");
  const texts: Record<VoidReason, string> = {
    taken_back: t("It was taken back after the count."),
    superseded: t("An earlier turn was taken back."),
    stopped: t("The match was stopped."),
  };
  return texts[reason];
}

export function verdictName(verdict: Verdict): string {
  const names: Record<Verdict, string> = { VALID: t("The record is valid"), INVALID: t("The record is not valid"), "PARTLY CHECKED": t("The record is partly checked") };
  return names[verdict];
}

/** `isDecided`: the moves decide the result. */
export function verdictMeaning(verdict: Verdict, isDecided: boolean): string {
  const meanings: Record<Verdict, string> = {
    VALID: isDecided ? t("The moves and the result follow from the votes, the draws and the rules.") : t("The moves follow from the votes, the draws and the rules."),
    INVALID: t("The record contradicts itself or the rules. The failed checks are listed below."),
    "PARTLY CHECKED": t("The moves follow from the votes. This page doesn’t know the rules of the game."),
  };
  return meanings[verdict];
}

/** A value of the record, in text of either direction. */
const value = (text = "") => `\u2066${text}\u2069`;
const mismatch = ({ found, expected }: Finding) => t("The record says %(found)s. %(expected)s follows from its other values.", { found: value(found), expected: value(expected) });
const field = ({ found }: Finding) => t("%(field)s is missing or has a wrong value.", { field: value(found) });
const contradiction = ({ found }: Finding) => t("The void turn with the id %(id)s contradicts the turns that count.", { id: value(found) });

/** The file is none that the server writes. */
export const notARecord = (): string => t("This file is not a match record. A record’s address looks like /record/CODE/1.json.");

const REASONS: Record<Reason, (finding: Finding) => string> = {
  "not-a-record": notARecord,
  field,
  option: (finding) => field({ ...finding, found: `options.${finding.found}` }),
  length: mismatch,
  "turn-id": mismatch,
  "not-committed": () => t("The seed doesn’t match the hash that was published before."),
  "not-drawn": mismatch,
  "no-draw": () => t("The record doesn’t contain the draw."),
  "unknown-game": () => t("This page doesn’t know the rules of the game."),
  "after-fault": () => t("It depends on a check that failed."),
  over: () => t("The match was over before this turn."),
  "to-move": mismatch,
  legal: mismatch,
  "illegal-ballot": ({ found }) => t("A ballot is not allowed: %(ballot)s", { ballot: value(found) }),
  captain: () => t("The captain’s ballot doesn’t exist."),
  arrivals: () => t("The order in which the ballots arrived is missing or wrong."),
  "by-arrival": () => t("A tie was decided by the order of arrival, which only the server knows."),
  "by-seed": () => t("The seed alone decided a draw, and the server could have chosen it, as before version 5."),
  "no-solver": () => t("The computer’s choices couldn’t be recomputed here. Try again with a connection, or use the command `crowdgame verify`."),
  "computer-absent": () => t("The record doesn’t say why the computer didn’t vote."),
  "computer-version": () => t("This page doesn’t know this version of the computer, so its choices weren’t recomputed."),
  "server-order": () => t("The server chose the order of the ballots, as in all records before version 3."),
  unsorted: () => t("The ballots are not in the order of their hashes."),
  "other-root": mismatch,
  "other-counts": mismatch,
  "other-pick": mismatch,
  "other-rounds": () => t("The rounds don’t follow from the ballots."),
  "not-played": mismatch,
  "nothing-played": () => t("A team lost without a move, so nothing is played."),
  "other-result": mismatch,
  "not-in-ballots": () => t("No ballot says that the players ended the match."),
  time: () => t("Only the server knows whose time ran out."),
  "sides-missing": () => field({ turn: null, side: null, check: "sides", outcome: "failed", found: "sides" }),
  "sides-length": () => field({ turn: null, side: null, check: "sides", outcome: "failed", found: "sides.turns" }),
  commitment: mismatch,
  numbers: () => t("The side changes don’t explain how many voters each side had."),
  voters: () => t("A side has more ballots than voters."),
  summary: () => t("The record doesn’t say which changes came from the same voter. So nobody can check the numbers of loyal voters."),
  "other-state": mismatch,
  restored: () => t("The record doesn’t say correctly where the votes came from after the ballot box was lost."),
  "box-lost": () => t("Nobody can check that all votes came back."),
  "seal-time": () => t("Two seals have the same time."),
  "seal-not-counted": () => t("The seal that was published last is not the one that counts."),
  "seal-cause": () => t("A seal was replaced, but the record doesn’t say why."),
  "seal-replaced": () => t("A seal was replaced. Only phones that were connected saw why."),
  "seals-unlisted": () => t("The record doesn’t list all published seals, as all records before version 4."),
  "void-order": contradiction,
  "void-counts": contradiction,
  "void-late": contradiction,
  "void-lot": () => t("The seed doesn’t match the hash that was published before."),
  "void-cause": contradiction,
  "void-seed": ({ found }) => t("The void turn with the id %(id)s has the seed of another turn.", { id: value(found) }),
  "void-half": () => field({ turn: null, side: null, check: "voided", outcome: "failed", found: "voided_at" }),
  "void-ballots": () => t("The record doesn’t contain their votes."),
};

/** Why a check failed or wasn't made, or an empty text. */
export function reasonText(finding: Finding): string {
  return finding.reason ? REASONS[finding.reason](finding) : "";
}
