import { Field, isObject } from "./fields";
import type { Json, JsonObject } from "./json";
import { TALLY_METHODS } from "./methods";

export const SIDES = ["red", "yellow"] as const;
export type Side = (typeof SIDES)[number];

const FORMATS: Record<string, number> = { "crowdgame match 2": 2, "crowdgame match 3": 3, "crowdgame match 4": 4, "crowdgame match 5": 5 };
const TIE_RULES = ["first", "lot", "captain"] as const;
const NO_BALLOT_RULES = ["random", "pass", "forfeit"] as const;
const RESIGN_SHARES = ["half", "two_thirds", "three_quarters", "all"] as const;
const RESULTS = ["red", "yellow", "draw", "open"] as const;
const RESTORED = ["phones", "database", "backup"] as const;
const REOPENINGS = ["time_added", "box_lost"] as const;
const VOID_REASONS = ["taken_back", "superseded", "stopped"] as const;
const STATES = ["playing", "ended", "aborted"] as const;
const ENDINGS = ["board", "forfeit", "time", "resign", "deserted", "conceded", "agreed"] as const;

export type TieRule = (typeof TIE_RULES)[number];
type ResignShare = (typeof RESIGN_SHARES)[number];
export type Result = (typeof RESULTS)[number];
export type Ending = (typeof ENDINGS)[number];
export type Restored = (typeof RESTORED)[number];
export type Reopening = (typeof REOPENINGS)[number];
export type VoidReason = (typeof VOID_REASONS)[number];
export type MatchState = (typeof STATES)[number];

export interface Terms {
  readonly tally_method: string;
  readonly tie_rule: TieRule;
  readonly no_ballot_rule: (typeof NO_BALLOT_RULES)[number];
  readonly resign: ResignShare | null;
  readonly draw_offers: boolean;
  readonly max_side_changes: number;
}

export type Ballot = readonly [choice: number, blind: string];

/** A side's ballots of one turn, and what the server made of them. */
export interface SideCount {
  readonly root: string;
  readonly ballots: readonly Ballot[];
  readonly legal: readonly number[];
  readonly counts: readonly number[];
  readonly pick: number | null;
  readonly decided_by: string;
  readonly rounds: readonly (readonly number[])[] | null;
  readonly captain: number | null;
  readonly arrivals: readonly number[] | null;
}

/** A published seal: a root for each side, or one commitment. */
export interface PublishedSeal extends Readonly<Record<Side, string | null>> {
  readonly at: number;
  readonly epoch: number;
  readonly turn_commitment: string | null;
  /** Why another seal replaced it. */
  readonly void: { readonly reason: Reopening; readonly at: number; readonly epoch: number } | null;
}

export interface VoidTurn {
  readonly turn: number;
  /** Its place in the match, from 1, which another turn took over. */
  readonly number: number;
  readonly lot: string;
  readonly seed: string;
  readonly voided_at: number | null;
  readonly reason: VoidReason | null;
  readonly seals: readonly PublishedSeal[];
}

export interface TurnCount extends Readonly<Record<Side, SideCount | null>> {
  readonly turn: number;
  readonly lot: string;
  readonly seed: string;
  readonly sealed_at: number | null;
  readonly resolved_at: number | null;
  /** Of the ballot box that was sealed: above 1 after a loss. */
  readonly epoch: number;
  /** Who sent the ballots again after a loss. */
  readonly restored: Restored | null;
  /** All published seals. Before version 4 of the record, only `void_seals` are listed. */
  readonly seals: readonly PublishedSeal[];
  readonly void_seals: readonly PublishedSeal[];
}

export type Move = Readonly<Record<Side, number | null>>;

export interface SidesTurn {
  readonly turn_commitment: string;
  readonly side_changes: readonly (readonly [side: Side, blind: string])[];
  readonly numbers: { readonly red: number; readonly yellow: number; readonly to_red: number; readonly to_yellow: number };
}

export interface MatchRecord {
  readonly version: number;
  readonly labels: { readonly name: string; readonly code: string; readonly match: number; readonly teams: Readonly<Record<Side, string>> };
  readonly game: string;
  readonly options: JsonObject;
  readonly draw: { readonly lot: string; readonly seed: string; readonly options: JsonObject } | null;
  readonly terms: Terms;
  readonly turns: readonly Move[];
  readonly counts: readonly TurnCount[];
  readonly voided: readonly VoidTurn[];
  readonly state: MatchState | null;
  readonly result: Result;
  readonly ended_by: Ending | null;
  readonly sides: readonly SidesTurn[] | null;
  /** The strength of each side that the computer plays, and the version of the table of strengths. */
  readonly bots: (Readonly<Record<Side, number | null>> & { readonly version: number }) | null;
}

/** The file is not a match record of a known version. */
export class NotARecord extends Error {}

/** The record in a parsed file. Ignores fields that it doesn't know. Throws `NotARecord` or `FormError`. */
export function readRecord(file: Json): MatchRecord {
  if (!isObject(file) || typeof file.format !== "string" || !Object.hasOwn(FORMATS, file.format)) throw new NotARecord();
  const version = FORMATS[file.format]!;
  const terms = readTerms(new Field(file, "terms"));
  return {
    version,
    labels: readLabels(file),
    game: new Field(file, "game").text(),
    options: new Field(file, "options").object(),
    draw: new Field(file, "draw").optional(readDraw),
    terms,
    turns: new Field(file, "turns").list(readMove),
    counts: new Field(file, "counts").list(readTurnCount),
    voided: new Field(file, "voided").missing((field) => field.list(readVoidTurn)) ?? [],
    state: new Field(file, "state").optional((field) => field.oneOf(STATES)),
    result: new Field(file, "result").oneOf(RESULTS),
    ended_by: new Field(file, "ended_by").nullable((field) => field.oneOf(ENDINGS)),
    sides: new Field(file, "sides").optional(readSides),
    bots: new Field(file, "bots").optional(readBots),
  };
}

const HASH = /^[\da-f]{64}$/;
const SEED = /^[\da-f]{32}$/;
/** Empty: the phone sent none. */
const BLIND = /^([\da-f]{32})?$/;

function readLabels(file: JsonObject): MatchRecord["labels"] {
  const text = (name: string) => new Field(file, name).text();
  const teams = new Field(file, "teams");
  const match = new Field(file, "match").number(-Infinity);
  return { name: text("name"), code: text("code"), match, teams: { red: teams.at("red").text(), yellow: teams.at("yellow").text() } };
}

function readDraw(draw: Field): NonNullable<MatchRecord["draw"]> {
  return { lot: draw.at("lot").text(HASH), seed: draw.at("seed").text(SEED), options: draw.at("options").object() };
}

function readTerms(terms: Field): Terms {
  terms.at("turn_points").missing((field) => field.boolean());
  return {
    tally_method: terms.at("tally_method").oneOf(TALLY_METHODS),
    tie_rule: terms.at("tie_rule").oneOf(TIE_RULES),
    no_ballot_rule: terms.at("no_ballot_rule").oneOf(NO_BALLOT_RULES),
    resign: terms.at("resign").optional((field) => field.oneOf(RESIGN_SHARES)),
    draw_offers: terms.at("draw_offers").missing((field) => field.boolean()) ?? false,
    max_side_changes: terms.at("max_side_changes").missing((field) => field.number()) ?? 0,
  };
}

function readBots(bots: Field): MatchRecord["bots"] {
  const strength = (field: Field) => field.number(1);
  return { version: bots.at("version").number(-Infinity), red: bots.at("red").optional(strength), yellow: bots.at("yellow").optional(strength) };
}

function readMove(move: Field): Move {
  const read = (field: Field) => field.number(1);
  return { red: move.at("red").optional(read), yellow: move.at("yellow").optional(read) };
}

function readTurnCount(count: Field): TurnCount {
  return {
    turn: count.at("turn").number(1),
    lot: count.at("lot").text(HASH),
    seed: count.at("seed").text(SEED),
    sealed_at: count.at("sealed_at").nullable(readTime),
    resolved_at: count.at("resolved_at").nullable(readTime),
    epoch: count.at("epoch").missing((field) => field.number(1)) ?? 1,
    restored: count.at("restored").optional((field) => field.oneOf(RESTORED)),
    seals: count.at("seals").missing(readSeals) ?? [],
    void_seals: count.at("void_seals").missing(readSeals) ?? [],
    red: count.at("red").nullable(readSideCount),
    yellow: count.at("yellow").nullable(readSideCount),
  };
}

function readTime(time: Field): number {
  return time.number(-Infinity);
}

function readSeals(seals: Field): PublishedSeal[] {
  const root = (field: Field) => field.optional((text) => text.text(HASH));
  return seals.list((seal) => ({
    at: readTime(seal.at("at")),
    epoch: seal.at("epoch").missing((field) => field.number(1)) ?? 1,
    red: root(seal.at("red")),
    yellow: root(seal.at("yellow")),
    turn_commitment: root(seal.at("turn_commitment")),
    void: seal.at("void").optional(readCause),
  }));
}

function readCause(cause: Field): PublishedSeal["void"] {
  return { reason: cause.at("reason").oneOf(REOPENINGS), at: readTime(cause.at("at")), epoch: cause.at("epoch").number(1) };
}

function readVoidTurn(turn: Field): VoidTurn {
  return {
    turn: turn.at("turn").number(1),
    number: turn.at("number").number(1),
    lot: turn.at("lot").text(HASH),
    seed: turn.at("seed").text(SEED),
    voided_at: turn.at("voided_at").optional(readTime),
    reason: turn.at("reason").optional((field) => field.oneOf(VOID_REASONS)),
    seals: turn.at("seals").missing(readSeals) ?? [],
  };
}

function readSideCount(side: Field): SideCount {
  const numbers = (field: Field) => field.list((item) => item.number());
  return {
    root: side.at("root").text(HASH),
    ballots: side.at("ballots").list(readBallot),
    legal: numbers(side.at("legal")),
    counts: numbers(side.at("counts")),
    pick: side.at("pick").nullable((field) => field.number(1)),
    decided_by: side.at("decided_by").text(),
    rounds: side.at("rounds").missing((field) => field.list(numbers)),
    captain: side.at("captain").optional((field) => field.number()),
    arrivals: side.at("arrivals").missing(numbers),
  };
}

function readBallot(ballot: Field): Ballot {
  const [choice, blind] = ballot.pair();
  return [choice.number(1), blind.text(BLIND)];
}

function readSides(sides: Field): SidesTurn[] {
  const summary = sides.at("summary");
  const numbers = summary.at("turns").list(readSidesNumbers);
  for (const field of summary.at("loyal").pair()) field.number();
  for (const name of ["in_time", "too_soon"]) summary.at(name).number();
  const turns = sides.at("turns").list((turn) => ({ turn_commitment: turn.at("turn_commitment").text(HASH), side_changes: turn.at("side_changes").list(readSideChange) }));
  if (turns.length !== numbers.length) summary.at("turns").fail();
  return turns.map((turn, index) => ({ ...turn, numbers: numbers[index]! }));
}

function readSidesNumbers(turn: Field): SidesTurn["numbers"] {
  return { red: turn.at("red").number(), yellow: turn.at("yellow").number(), to_red: turn.at("to_red").number(), to_yellow: turn.at("to_yellow").number() };
}

function readSideChange(change: Field): readonly [Side, string] {
  const [side, blind] = change.pair();
  return [side.oneOf(SIDES), blind.text(BLIND)];
}
