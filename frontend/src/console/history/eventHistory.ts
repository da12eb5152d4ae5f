import { t } from "../../live/i18n";
import { sideForTeam } from "../../live/match/phase";
import { Store } from "../../live/state/useStore";
import { support } from "../../live/match/support";
import type { EventState, Match, Reveal, SideTally, ToConsole, TurnoutCounted } from "../../protocol";
import { revealText } from "../labels";

/** A number for team 1 and one for team 2. */
export type TeamPair = readonly [number, number];

/** A revealed turn and each team's unity: the share of its ballots that went to its pick. */
export interface RevealedTurn {
  match: number;
  number: number;
  at: number;
  agreed: readonly [number | null, number | null];
  text: string;
}

/** A change that happened automatically. */
export interface Note {
  at: number;
  text: string;
}

export interface Sample {
  at: number;
  teams: TeamPair;
}

/**
 * The event's history as received by this page. `here`: connected phones over time. `voted`: the share of them that has
 * voted in the window that began at `began`. `votedBefore`: the same for the previous window. `lateMs`: how long after
 * its deadline the last turn was counted.
 */
export interface HistoryState {
  seq: number;
  reveals: readonly RevealedTurn[];
  notes: readonly Note[];
  here: readonly Sample[];
  turn: number | null;
  began: number;
  voted: readonly Sample[];
  votedBefore: readonly Sample[];
  lateMs: number | null;
}

const NOTHING: HistoryState = { seq: 0, reveals: [], notes: [], here: [], turn: null, began: 0, voted: [], votedBefore: [], lateMs: null };
const MAX_REVEALS = 40;
const MAX_NOTES = 10;
const MAX_SAMPLES = 240;
const MIN_GAP_MS = 1000;

/** The data of the charts and lists. Survives a reload of the page. */
export class EventHistory {
  readonly store: Store<HistoryState>;
  private before: EventState | null = null;

  constructor(key: string) {
    this.store = new Store({ ...NOTHING, ...readStored(key) });
    addEventListener("pagehide", () => sessionStorage.setItem(key, JSON.stringify(this.store.get())));
  }

  /** `now` is the server's time. */
  receive(message: ToConsole, now: number): void {
    if (message.type === "turnout.counted") this.store.set(withTurnout(this.store.get(), message, now));
    if (!("state" in message)) return;
    const { store, before } = this;
    const older = message.seq < store.get().seq || (before !== null && message.seq === store.get().seq);
    if (older && message.type !== "console.welcomed") return;
    if (message.seq < store.get().seq) store.set(NOTHING);
    store.set(withEvent({ ...store.get(), seq: message.seq }, message.state, before));
    const text = automaticNote(message, before);
    if (text) store.set({ notes: [...store.get().notes, { at: now, text }].slice(-MAX_NOTES) });
    this.before = message.state;
  }
}

function readStored(key: string): Partial<HistoryState> {
  return JSON.parse(sessionStorage.getItem(key) ?? "{}") as Partial<HistoryState>;
}

export function withTurnout(memory: HistoryState, { turn, connected, voted }: TurnoutCounted, now: number): Partial<HistoryState> {
  const here = addSample(memory.here, { at: now, teams: connected });
  if (turn === null || turn !== memory.turn) return { here };
  const share = (team: 0 | 1) => (connected[team] ? Math.min(1, voted[team] / connected[team]) : 0);
  return { here, voted: addSample(memory.voted, { at: Math.max(now, memory.began), teams: [share(0), share(1)] }) };
}

/** The last sample is always the current one. The longer the event lasts, the fewer of the others are kept. */
export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const [before, last] = samples.slice(-2);
  const apart = Math.max(MIN_GAP_MS, (sample.at - (samples[0]?.at ?? sample.at)) / MAX_SAMPLES);
  const settled = last && before && last.at - before.at < apart ? samples.slice(0, -1) : samples;
  const fewer = settled.length < MAX_SAMPLES ? settled : settled.filter((_, index) => index % 2 === 0);
  return [...fewer, sample];
}

/** Apply a change of the event: a turn was revealed, undone or begun. */
export function withEvent(memory: HistoryState, event: EventState, before: EventState | null): HistoryState {
  const { match } = event;
  const reveals = match ? updateReveals(memory.reveals, event, match) : memory.reveals;
  return { ...memory, ...votingWindow(memory, match), reveals, lateMs: lateness(match, before) ?? memory.lateMs };
}

/** A held window restarts as long as nobody has voted. */
function votingWindow(memory: HistoryState, match: Match | null): Partial<HistoryState> {
  const turn = match?.turn;
  const { voted } = memory;
  if (!turn) return {};
  const begun = voted.some(({ teams }) => teams[0] + teams[1] > 0);
  if (turn.id === memory.turn && (turn.paused || begun)) return {};
  if (turn.id === memory.turn) return { began: turn.opens_at, voted: voted.slice(-1).map((last) => ({ ...last, at: turn.opens_at })) };
  return { turn: turn.id, began: turn.opens_at, voted: [], ...(begun ? { votedBefore: voted } : {}) };
}

function updateReveals(reveals: readonly RevealedTurn[], event: EventState, match: Match): readonly RevealedTurn[] {
  if (match.state === "aborted") return reveals;
  const last = match.reveal;
  const standing = reveals.filter((reveal) => reveal.match !== match.number || reveal.number < (last?.number ?? 0));
  if (!last) return standing;
  return [...standing, revealedTurn(event, match, last)].slice(-MAX_REVEALS);
}

function revealedTurn(event: EventState, match: Match, reveal: Reveal): RevealedTurn {
  const agreed = (team: number) => agreement(match, reveal[sideForTeam(event, team)]);
  return { match: match.number, number: reveal.number, at: reveal.resolved_at, agreed: [agreed(1), agreed(2)], text: revealText(event, match, reveal) };
}

export function agreement(match: Pick<Match, "tally_method">, tally: SideTally | null): number | null {
  if (!tally?.pick || !tally.ballots) return null;
  const [votes, of] = support(match, tally);
  return votes / of;
}

/**
 * Milliseconds between a turn's deadline and its count, for a turn that this page saw open. Null if the turn was held,
 * because it has no deadline, or if its reveal waited for the organizer.
 */
function lateness(match: Match | null, before: EventState | null): number | null {
  const turn = before?.match?.turn;
  const reveal = match?.reveal;
  const isTimed = turn && !turn.paused && !match?.host_wait_s;
  return isTimed && reveal && turn.id === reveal.turn ? Math.max(0, reveal.resolved_at - turn.closes_at) : null;
}

/** Describes a change that no organizer made; empty if an organizer made it. */
function automaticNote(message: ToConsole, before: EventState | null): string {
  if (message.type === "turn.restored") return t("Turn %(turn)s lost votes. Phones are sending them again, with extra time", { turn: message.state.match?.turn?.number ?? "" });
  const due = before?.next_match_at ?? Infinity;
  return message.type === "match.started" && message.at >= due ? t("Match %(match)s started automatically", { match: message.state.match?.number ?? "" }) : "";
}
