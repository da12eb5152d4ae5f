import { countdown, percent, thousands } from "../live/format";
import { otherSide } from "../live/grid";
import { revealStep, teamOf, tokenMoment, type Phase } from "../live/phase";
import type { Connection } from "../live/socket";
import type { Admission, ErrorCode, EventState, Match, Refusal, Reveal, Side, SideTally, TurnoutCounted } from "../protocol";
import type { Ballot } from "./ballot";
import type { Receipt } from "./receipts";
import type { Record } from "./seat";

export interface View {
  event: EventState;
  team: number;
  side: Side;
  phase: Phase;
  now: number;
  ballot: Ballot;
  record: Record;
  receipts: readonly Receipt[];
  turnout: TurnoutCounted | null;
  connection: Connection;
}

/** The one sentence under the clock: what is going on, and what there is to do. */
export function sentence(view: View): string {
  const match = view.event.match;
  if (view.phase === "lobby" || !match) return lobbySentence(view);
  if (view.phase === "reveal") return revealSentence(view, match, match.reveal!);
  if (view.phase === "ended") return endSentence(view, match);
  if (view.phase === "voting") return votingSentence(view, match);
  if (view.phase === "paused") return pausedSentence(view);
  if (view.phase === "sealed") return sealedSentence(view, match);
  return "Get ready: the first turn is about to begin.";
}

/** What is said beside everything else while the phone comes back by itself. */
export function hint({ state }: Connection): string {
  if (state === "crowded") return "Many are coming in";
  return state === "lost" ? "Reconnecting" : "";
}

function lobbySentence({ turnout, team, event }: View): string {
  const here = turnout?.connected[team - 1] ?? 0;
  const next = "Look at the big screen: the match is about to begin.";
  if (event.match) return "The match was stopped and does not count. Stay: your seat is kept.";
  return here > 1 ? `${thousands(here)} in your team. ${next}` : `You are in. ${next}`;
}

const LONGEST_NAME = 16;

/** A team's name, short enough for a sentence. */
function called(event: EventState, side: Side): string {
  const { name } = teamOf(event, side);
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).trimEnd()}…` : name;
}

const REASONS: { [code in Refusal]: string } = {
  late: "too late",
  early: "too early",
  unknown: "the ballot box lost it",
  stale: "a newer vote came first",
  no_such_turn: "this turn is over",
  not_to_move: "it isn't your team's turn",
  illegal: "this column is full",
  busy: "too much going on",
};

function votingSentence(view: View, match: Match): string {
  const { side, ballot, event, connection } = view;
  if (!match.turn!.to_move.includes(side)) return `${called(event, otherSide(side))} is voting. You are next.`;
  if (ballot.column === null) return `${note(view)}Pick a column.`;
  if (ballot.status === "sending") return sendingSentence(ballot, connection);
  if (ballot.status === "refused") return refusedSentence(ballot);
  if (ballot.elsewhere) return `${NOTES.elsewhere}It was for\u00a0${ballot.column}. You can change it.`;
  return `Counted: your vote for\u00a0${ballot.column}. You can still change it.`;
}

function sendingSentence({ column }: Ballot, { state }: Connection): string {
  if (state === "joined") return `Sending your vote for\u00a0${column}…`;
  return `Not counted yet: your vote for\u00a0${column}. It goes out by itself.`;
}

function refusedSentence({ column, reason, standing }: Ballot): string {
  const stands = standing === null || standing === column ? "" : ` Your vote for\u00a0${standing} stands.`;
  return `Not counted: ${REASONS[reason ?? "late"]}.${stands}`;
}

function pausedSentence({ ballot }: View): string {
  return ballot.standing === null ? "A short pause." : "A short pause. Your vote is kept.";
}

function sealedSentence({ side, ballot }: View, match: Match): string {
  if (!match.turn!.to_move.includes(side)) return "Sealed.";
  if (ballot.status === "refused") return refusedSentence(ballot);
  if (ballot.status === "sending") return "Sealed. Waiting to hear whether your vote counted…";
  return ballot.column === null ? "Sealed. You didn't vote this time." : `Sealed. You voted ${ballot.column}.`;
}

function revealSentence(view: View, match: Match, reveal: Reveal): string {
  const step = revealStep(match, view.now);
  if (step === "sealed") return "Sealed.";
  if (step === "pour") return "How both teams voted";
  if (step === "picks") return pickSentence(view, reveal);
  if (step === "drops") return dropSentence(view, match, reveal);
  return afterSentence(view, match);
}

function pickSentence({ side, event, record }: View, reveal: Reveal): string {
  const tally = reveal[side];
  if (!tally) {
    const other = otherSide(side);
    return `${called(event, other)} picked ${reveal[other]?.pick ?? "nothing"}.`;
  }
  return ownPick(tally, ownColumn(record, reveal));
}

/** What the voter voted in the turn that is revealed. */
export function ownColumn(record: Record, reveal: Reveal | null): number | null {
  return reveal && record.turn === reveal.turn ? record.column : null;
}

function ownPick(tally: SideTally, own: number | null): string {
  const { pick, ballots, counts, decided_by } = tally;
  if (pick === null) return "Nobody in your team voted: no drop for you.";
  if (decided_by === "random" || ballots === 0) return `Nobody in your team voted. The lot fell on ${pick}.`;
  const share = percent(counts[pick - 1] ?? 0, ballots);
  if (own === pick) return `Your team picked ${pick}, with you and ${share}.`;
  return `Your team picked ${pick} with ${share}.${own === null ? "" : ` You voted ${own}.`}`;
}

function dropSentence(view: View, match: Match, reveal: Reveal): string {
  const { event, now } = view;
  const { conflict, token_before, token_after, drops } = reveal.resolution;
  if (conflict === null || token_before === null) return pickSentence(view, reveal);
  const forfeited = drops.find((drop) => drop.row === null);
  if (now < tokenMoment(match)) return `Both chose ${conflict}. ${called(event, token_before)} has the token and drops first.`;
  if (forfeited) return `Column ${conflict} is full: ${called(event, forfeited.side)} loses its drop.`;
  return token_after && token_after !== token_before ? `The token goes to ${called(event, token_after)}.` : pickSentence(view, reveal);
}

function afterSentence(view: View, match: Match): string {
  if (match.result !== "open") return winner(view, match);
  return note(view) + (match.turn?.paused ? "A short pause." : "Next turn in a moment.");
}

function winner({ event }: View, { result }: Match): string {
  if (result === "open" || result === "draw") return "Nobody wins.";
  return `${called(event, result)} wins.`;
}

function endSentence(view: View, match: Match): string {
  const turns = Object.values(view.record.agreed);
  if (!turns.length) return winner(view, match);
  const word = turns.length === 1 ? "turn" : "turns";
  return `${winner(view, match)} You were with your team in ${turns.filter(Boolean).length} of ${turns.length} ${word}.`;
}

const NOTES: { [what: string]: string } = {
  elsewhere: "A later vote from another device was counted. ",
  unsure: "Your last vote could not be checked. ",
};

/** What there is to say, without an alarm, of the vote before. */
function note({ receipts }: View): string {
  const last = receipts[receipts.length - 1];
  return last?.late ? "Your last press came too late. " : (NOTES[last?.found ?? ""] ?? "");
}

/** How the votes fared in the count; nothing while there is nothing to say. */
export function checkLine({ phase, event, receipts }: View): string {
  const last = receipts[receipts.length - 1];
  const votes = receipts.filter(({ found }) => found !== "late").length;
  const checked = receipts.filter(({ found }) => found === "checked" || found === "elsewhere").length;
  const good = receipts.filter(({ found }) => found === "counted").length + checked;
  if (!last || !good) return "";
  if (phase === "ended" && last.found) return `${good} of ${votes} ${votes === 1 ? "vote" : "votes"} counted${good > checked ? `, ${checked} checked` : " and checked"}`;
  return last.found === "checked" && last.turn === event.match?.reveal?.turn ? "Counted and checked" : `${good}`;
}

const FOUND = {
  checked: "counted and checked",
  counted: "counted; this phone did not see the seal",
  elsewhere: "a later vote from another device was counted",
  unsure: "could not be checked: this phone was away when the turn ended",
  late: "came too late",
  missing: "not in the count",
};

export function findingText({ found }: Receipt): string {
  return found ? FOUND[found] : "not checked yet";
}

/** What there is to show to the organizers when an acknowledged vote is not in the count. */
export function missingText({ receipts }: View): string {
  const lost = receipts.filter(({ found }) => found === "missing").pop();
  if (!lost) return "";
  const [, column, blind] = lost.choices[0]!;
  return `Your vote could not be found in the count. Show this to the organizers: turn ${lost.number}, column ${column}, code ${blind.slice(0, 8)}…`;
}

const ASKED: { [admission in Admission]?: string } = {
  tickets: "Type the code from your ticket",
  roster: "Type your code from the class list",
};

/** What is asked for at the door, and what was wrong with what was shown. */
export function keyWords(code: ErrorCode, admission: Admission = "rotating"): { label: string; problem: string; long: boolean } {
  const wrong = admission === "rotating" ? "That code is not right, or it has changed. Look at the screen again." : "There is no such code. Look at it again.";
  const problem = code === "key_used" ? "This code is in use on another phone. Ask the organizers." : code === "key_wrong" ? wrong : "";
  return { label: ASKED[admission] ?? "Type the code from the screen", problem, long: admission === "tickets" };
}

/** The word or number inside the shape. */
export function heart(view: View): string {
  const match = view.event.match;
  const turn = match?.turn;
  if (view.phase === "voting" && turn) return countdown(turn.closes_at - view.now);
  if (view.phase === "paused" && turn) return countdown(turn.left_ms);
  if (view.phase === "waiting" && turn) return countdown(turn.opens_at - view.now);
  if (view.phase === "sealed") return "sealed";
  if (view.phase === "reveal" && match) return revealHeart(view, match);
  return view.phase === "ended" && match ? outcome(match, view.side) : "";
}

function revealHeart({ side, now }: View, match: Match): string {
  const step = revealStep(match, now);
  if (step === "sealed" || step === "pour") return "sealed";
  if (step === "lines" && match.turn) return match.turn.paused ? "" : countdown(match.turn.opens_at - now);
  if (step === "lines") return outcome(match, side);
  return String(match.reveal?.[side]?.pick ?? "–");
}

function outcome(match: Match, side: Side): string {
  if (match.result === "open") return "over";
  if (match.result === "draw") return "draw";
  return match.result === side ? "won" : "lost";
}
