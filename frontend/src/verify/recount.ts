import type { Board } from "../protocol";
import { checkBots, comparePicks, readBotTurn, type BotTurn, type RecountedMatch } from "./bots/botTurns";
import { NO_OFFERS, offersAfter } from "./drawOffers";
import { Findings, type Report, type Verdict } from "./findings";
import { lotHash, turnLotHash } from "./hashes";
import { checkHistory } from "./historyCheck";
import { JsonError, parseJson } from "./json";
import { FormError } from "./fields";
import { NotARecord, readRecord, SIDES, type MatchRecord, type Move, type Result } from "./record";
import { GAMES } from "./rules/games";
import { completeOptions, drawOptions } from "./rules/options";
import { OptionError, other, type Position } from "./rules/position";
import { checkSide, isDrawnFromSeed } from "./sideCheck";
import { checkSides, desertedSide } from "./sidesCheck";

/** The record in a file, or the report on a file that isn't a valid record. Yields 0, so that the caller can pause. */
export function* parseRecord(text: string): Generator<number, { record: MatchRecord } | { report: Report }> {
  const findings = new Findings();
  try {
    const json = parseJson(text.startsWith("<") ? recordOfReport(text) : text);
    yield 0;
    return { record: readRecord(json) };
  } catch (error) {
    if (error instanceof FormError) findings.fail(null, null, "form", "field", error.field);
    else if (error instanceof NotARecord || error instanceof JsonError) findings.fail(null, null, "form", "not-a-record");
    else throw error;
    return { report: { verdict: "INVALID", findings: findings.all, boards: [] } };
  }
}

/** The record that a report file holds. */
function recordOfReport(html: string): string {
  return html.split('<script id="record" type="application/json">')[1]?.split("</script>")[0] ?? "";
}

export function countBallots({ counts }: MatchRecord): number {
  return counts.reduce((sum, count) => sum + SIDES.reduce((ballots, side) => ballots + (count[side]?.ballots.length ?? 0), 0), 0);
}

/** Recounts a match, except for the picks of the computer. Yields the number of ballots hashed since it last did, so that the caller can pause. */
export function* recount(record: MatchRecord): Generator<number, RecountedMatch> {
  const recounted = new Recount(record);
  yield* recounted.run();
  return { verdict: recounted.verdict, findings: recounted.findings.all, boards: recounted.boards, botTurns: recounted.botTurns };
}

/** The verdict on the text of a file, without the picks of the computer. */
export function verifyText(text: string): Report {
  const parsed = finish(parseRecord(text));
  return "report" in parsed ? parsed.report : comparePicks(finish(recount(parsed.record)), null);
}

/** Runs all steps at once. */
export function finish<Value>(steps: Generator<number, Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

class Recount {
  readonly findings = new Findings();
  readonly boards: (Board | null)[] = [];
  readonly botTurns: BotTurn[] = [];
  /** Null if the game isn't known, or after a fault. */
  private position: Position | null = null;
  private offers = NO_OFFERS;

  constructor(private readonly record: MatchRecord) {}

  get verdict(): Verdict {
    if (this.findings.hasFailed) return "INVALID";
    return GAMES.has(this.record.game) ? "VALID" : "PARTLY CHECKED";
  }

  *run(): Generator<number, void> {
    this.start();
    this.checkDraw();
    const { counts, turns } = this.record;
    this.findings.expect(turns.length === counts.length, null, null, "form", "length", turns.length, counts.length);
    for (let index = 0; index < counts.length; index++) yield* this.checkTurn(index);
    this.checkResult();
    checkBots(this.record, this.findings);
    if (this.record.version === 2 && countBallots(this.record)) this.findings.skip(null, null, "ballots", "server-order");
    checkSides(this.record, this.findings);
    checkHistory(this.record, this.findings);
  }

  private start(): void {
    const { game, options } = this.record;
    try {
      this.position = GAMES.get(game)?.(completeOptions(game, options)) ?? null;
    } catch (error) {
      this.failOption(error);
    }
  }

  private failOption(error: unknown): void {
    if (!(error instanceof OptionError)) throw error;
    this.findings.fail(null, null, "form", "option", error.option);
  }

  private checkDraw(): void {
    const { draw, game, options } = this.record;
    if (!draw) return this.findings.skip(null, null, "draw", "no-draw");
    if (lotHash(draw.seed) !== draw.lot) return this.findings.fail(null, null, "draw", "not-committed", draw.lot, lotHash(draw.seed));
    if (!GAMES.has(game)) return this.findings.skip(null, null, "draw", "unknown-game");
    if (!this.position) return this.findings.skip(null, null, "draw", "after-fault");
    try {
      const expected = Object.entries(drawOptions(completeOptions(game, draw.options), draw.seed));
      const found = completeOptions(game, options);
      const wrong = expected.find(([name, value]) => String(found[name]) !== String(value));
      this.findings.expect(!wrong, null, null, "draw", "not-drawn", wrong && found[wrong[0]], wrong?.[1]);
    } catch (error) {
      this.failOption(error);
    }
  }

  private *checkTurn(index: number): Generator<number, void> {
    const count = this.record.counts[index]!;
    const lot = turnLotHash(count.seed);
    this.findings.expect(lot === count.lot || isDrawnFromSeed(count), index, null, "seed", "not-committed", count.lot, lot);
    const before = this.record.counts[index - 1]?.turn ?? 0;
    if (count.turn <= before) this.findings.fail(index, null, "form", "turn-id", count.turn, before + 1);
    if (count.sealed_at !== null && count.resolved_at !== null && count.sealed_at > count.resolved_at) this.findings.fail(index, null, "form", "field", "resolved_at");
    this.checkRules(index);
    for (const side of SIDES) {
      const choices = this.position?.choices ?? null;
      if (count[side]) yield* checkSide({ record: this.record, index, side, count: count[side], choices }, this.findings);
      const botTurn = readBotTurn(this.record, index, side, this.position, this.findings);
      if (botTurn) this.botTurns.push(botTurn);
    }
    this.checkPlayed(index);
    this.boards.push(this.position?.board ?? null);
  }

  /** The sides that vote, and their legal choices. */
  private checkRules(index: number): void {
    const count = this.record.counts[index]!;
    const counted = SIDES.filter((side) => count[side]);
    if (!GAMES.has(this.record.game)) this.findings.skip(index, null, "rules", "unknown-game");
    else if (!this.position) this.findings.skip(index, null, "rules", "after-fault");
    else if (!this.position.toMove.length || this.offers.agreed) this.findings.fail(index, null, "rules", "over");
    else if (String(counted) !== String(this.position.toMove)) this.findings.fail(index, null, "rules", "to-move", counted, this.position.toMove);
    else {
      const wrong = counted.find((side) => String(count[side]!.legal) !== String(this.position!.legal(side)));
      this.findings.expect(!wrong, index, null, "rules", "legal", wrong && count[wrong]!.legal, wrong && this.position.legal(wrong));
    }
  }

  private checkPlayed(index: number): void {
    const count = this.record.counts[index]!;
    const move = this.record.turns[index];
    if (!move) return;
    const isLast = index === this.record.counts.length - 1;
    const ends = isUnplayed(count) || desertedSide(this.record, index) !== null;
    const picks: Move = { red: (!ends && count.red?.pick) || null, yellow: (!ends && count.yellow?.pick) || null };
    const wrong = SIDES.find((side) => picks[side] !== move[side]);
    this.findings.expect(!wrong, index, null, "played", ends ? "nothing-played" : "not-played", wrong && move[wrong], wrong && picks[wrong]);
    if (ends && !isLast) this.findings.fail(index + 1, null, "rules", "over");
    if (!ends) this.play(move, count);
  }

  private play(move: Move, count: Count): void {
    const { position } = this;
    if (!position) return;
    const legal = SIDES.every((side) => move[side] === null || (position.toMove.includes(side) && position.legal(side).includes(move[side]!)));
    this.position = legal && position.toMove.length ? position.play(move) : null;
    if (this.record.terms.draw_offers) this.offers = this.position?.result === "open" ? offersAfter(this.offers, count, !!position.isConcealed) : NO_OFFERS;
  }

  private checkResult(): void {
    const { result, ended_by } = this.record;
    const expected = this.expectedResults();
    if (!expected) this.findings.skip(null, null, "result", GAMES.has(this.record.game) ? "after-fault" : "unknown-game");
    else if (!expected.includes(result)) this.findings.fail(null, null, "result", "other-result", result, expected);
    else if ((ended_by === "conceded" || ended_by === "agreed") && !this.offers.agreed) this.findings.skip(null, null, "result", "not-in-ballots");
    else this.findings.pass(null, null, "result");
  }

  /** The results that the record allows, none if its ending contradicts its turns, or null if that isn't known. */
  private expectedResults(): Result[] | null {
    const { ended_by, result, counts } = this.record;
    const last = counts[counts.length - 1];
    const deserted = desertedSide(this.record, counts.length - 1);
    if (deserted) return ended_by === "deserted" ? [other(deserted)] : [];
    if (last && isUnplayed(last)) return unplayedResults(SIDES.map((side) => last[side]?.decided_by ?? ""), ended_by);
    if (ended_by === "board" && !this.position) return result === "open" || !last ? [] : null;
    if (ended_by === "board") return [this.position!.result].filter((found) => found !== "open");
    if (this.position && this.position.result !== "open") return [];
    if (this.offers.agreed) return ended_by === "agreed" ? ["draw"] : [];
    if (this.position && this.record.terms.draw_offers) return ended_by === null ? ["open"] : [];
    if (ended_by === "conceded") return ["red", "yellow"];
    if (ended_by === "agreed") return ["draw"];
    return ended_by === null ? ["open"] : [];
  }
}

type Count = MatchRecord["counts"][number];

/** Whether a side lost by resigning or without ballots, so that nothing is played. */
function isUnplayed(count: Count): boolean {
  return SIDES.some((side) => ["resign", "forfeit"].includes(count[side]?.decided_by ?? ""));
}

function unplayedResults(decidedBy: readonly string[], endedBy: MatchRecord["ended_by"]): Result[] {
  const losers = SIDES.filter((_, index) => ["resign", "forfeit"].includes(decidedBy[index]!));
  const endings = decidedBy.includes("forfeit") ? ["forfeit", "time"] : ["resign"];
  if (!endings.includes(endedBy ?? "")) return [];
  return losers.length === 2 ? ["draw"] : [other(losers[0]!)];
}
