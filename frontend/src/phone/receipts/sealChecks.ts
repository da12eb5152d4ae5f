import { splitReveal } from "../../live/match/seals";
import type { EventState, Match, Reveal, TurnSealed } from "../../protocol";

/**
 * Phones request the roots after the match, spread over a time in which this many ask per second. A hall's wireless
 * network, and a single gateway, deliver that many answers of a few kilobytes easily.
 */
const PHONES_PER_S = 500;
const MIN_DELAY_MS = 1000;
const MIN_SPREAD_MS = 4000;
const MAX_SPREAD_MS = 120_000;
/** Longer than every cache between phone and database keeps an answer. */
const AGAIN_MS = 15_000;
const MAX_TRIES = 4;

/** The roots of a turn's sides, or its `turn_commitment` with secret sides. */
interface Roots {
  at: number;
  red?: string | null;
  yellow?: string | null;
  turn_commitment?: string | null;
}

/** A seal that this phone received. `revealed`: the reveal said that it counts. */
export interface ReceivedSeal extends Roots {
  turn: number;
  number: number;
  lot: string | null;
  revealed: boolean;
}

/** The answer of `/record/CODE/N/roots.json`. `sealed_at` is null for a void turn. */
export interface PublishedRoots {
  state: Match["state"];
  draw_lot: string | null;
  turns: readonly { turn: number; lot: string; sealed_at?: number | null; seals: readonly Roots[] }[];
}

/** `matching`: how many seals the published record confirms. `differing`: the numbers of turns that it contradicts. */
export interface SealCheck {
  matching: number;
  differing: readonly number[];
}

type LoadRoots = (code: string, match: number, again: boolean) => Promise<PublishedRoots | null>;

/**
 * Keeps all seals that this phone receives, and compares them with the published record when the match is over. A
 * difference is confirmed by a second request before anyone is told.
 */
export class SealChecks {
  private event: EventState | null = null;
  private timer = 0;
  private tries = 0;

  constructor(
    private code: string,
    private changed: (check: SealCheck | null) => void,
    private load: LoadRoots = loadRoots,
  ) {}

  follow(event: EventState): void {
    const [{ match }, before, next_lot] = [event, this.match, this.event?.next_lot];
    const follows = !!this.event && match?.number === (before?.number ?? 0) + 1;
    this.event = event;
    if (!match) return;
    if (follows && next_lot) storeKept(this.code, { match: match.id, seals: [], draw: next_lot });
    for (const reveal of match.reveal ? splitReveal(match.reveal) : []) this.reveal(reveal);
    if (before?.id === match.id && isOver(before) === isOver(match)) return;
    clearTimeout(this.timer);
    this.tries = 0;
    this.changed(null);
    if (isOver(match)) this.plan(MIN_DELAY_MS + Math.random() * spreadMs(match));
  }

  private get match(): Match | null {
    return this.event?.match ?? null;
  }

  sealed({ turn, at, red, yellow, turn_commitment }: TurnSealed): void {
    const seals = this.seals();
    if (!this.match || seals.some((seal) => seal.turn === turn && seal.at === at)) return;
    const open = this.match.turn?.id === turn ? this.match.turn : null;
    const roots = { at, red: red?.root ?? null, yellow: yellow?.root ?? null, turn_commitment };
    this.store([...seals, { turn, number: open?.number ?? 0, lot: open?.lot ?? null, ...roots, revealed: false }]);
  }

  private reveal({ turn, number, sealed_at }: Reveal): void {
    const isRevealed = (seal: ReceivedSeal) => seal.turn === turn && seal.at === sealed_at && !seal.revealed;
    const seals = this.seals();
    if (seals.some(isRevealed)) this.store(seals.map((seal) => (isRevealed(seal) ? { ...seal, number, revealed: true } : seal)));
  }

  private plan(ms: number, differed = false): void {
    this.timer = window.setTimeout(() => void this.check(differed), ms);
  }

  private async check(differed: boolean): Promise<void> {
    const { match } = this;
    if (!match || !isOver(match) || !this.seals().length) return;
    const roots = await this.load(this.code, match.number, differed).catch(() => null);
    if (this.match?.id !== match.id || !isOver(this.match)) return;
    const check = roots && roots.state !== "playing" ? compareSeals(this.seals(), roots, this.kept().draw) : null;
    if (check && (differed || !check.differing.length)) this.changed(check);
    else if (++this.tries < MAX_TRIES) this.plan(AGAIN_MS + Math.random() * spreadMs(match), !!check);
  }

  private seals(): readonly ReceivedSeal[] {
    return this.kept().seals;
  }

  private store(seals: readonly ReceivedSeal[]): void {
    storeKept(this.code, { ...this.kept(), seals });
  }

  private kept(): Kept {
    const [kept, match] = [readKept(this.code), this.match?.id ?? 0];
    return kept.match === match ? kept : { match, seals: [], draw: null };
  }
}

interface Kept {
  match: number;
  seals: readonly ReceivedSeal[];
  /** `next_lot` before the match, if this phone was there. */
  draw: string | null;
}

/** Seals survive a reload of the page (sessionStorage). Without storage they are kept until then. */
const memory = new Map<string, Kept>();
const storageKey = (code: string) => `crowdgame:${code}:seals`;

function readKept(code: string): Kept {
  const none = memory.get(code) ?? { match: 0, seals: [], draw: null };
  try {
    return (JSON.parse(sessionStorage.getItem(storageKey(code)) ?? "null") as Kept | null) ?? none;
  } catch {
    return none;
  }
}

function storeKept(code: string, kept: Kept): void {
  try {
    sessionStorage.setItem(storageKey(code), JSON.stringify(kept));
  } catch {
    memory.set(code, kept);
  }
}

const isOver = (match: Match) => match.state !== "playing";

/** The more people voted last, the longer all phones take to ask. */
function spreadMs({ reveal }: Match): number {
  const ballots = (reveal?.red?.ballots ?? 0) + (reveal?.yellow?.ballots ?? 0);
  return Math.min(MAX_SPREAD_MS, Math.max(MIN_SPREAD_MS, (ballots / PHONES_PER_S) * 1000));
}

/**
 * Compares seals with the published record. A seal that isn't in the record, of a turn that is, became void when time
 * was added, unless the reveal said that it counts.
 * Another draw at the start counts as a difference in turn 1.
 */
export function compareSeals(seals: readonly ReceivedSeal[], { turns, draw_lot }: PublishedRoots, draw: string | null): SealCheck {
  const found = seals.map((seal) => judge(seal, turns.find(({ turn }) => turn === seal.turn)));
  const differing = new Set(draw && draw !== draw_lot ? [1] : []);
  for (const [index, { number }] of seals.entries()) if (found[index] === false) differing.add(number);
  return { matching: found.filter((one) => one === true).length, differing: [...differing] };
}

/** True if the record confirms the seal, false if it contradicts it, null if it is void. */
function judge(seal: ReceivedSeal, published: PublishedRoots["turns"][number] | undefined): boolean | null {
  if (!published || (seal.lot !== null && seal.lot !== published.lot)) return false;
  const same = published.seals.find(({ at }) => at === seal.at);
  if (!same) return seal.revealed && published.sealed_at != null ? false : null;
  const counts = !seal.revealed || published.sealed_at == null || published.sealed_at === seal.at;
  return counts && (["red", "yellow", "turn_commitment"] as const).every((part) => (same[part] ?? null) === (seal[part] ?? null));
}

async function loadRoots(code: string, match: number, again: boolean): Promise<PublishedRoots | null> {
  const answer = await fetch(`/record/${code}/${match}/roots.json`, { cache: again ? "reload" : "default" });
  return answer.ok ? ((await answer.json()) as PublishedRoots) : null;
}
