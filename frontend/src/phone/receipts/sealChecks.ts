import { fetchInTime } from "../../live/connection/fetchInTime";
import { reopening, splitReveal, type Reopening } from "../../live/match/seals";
import type { EventState, Match, Reveal, Turn, TurnSealed } from "../../protocol";
import { checkLog, type LogFinding } from "./logCheck";
import { hasRoots, sealedRoots, type ReceivedSeal, type Roots, type Seen } from "./receivedSeal";

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

/** The answer of `/record/CODE/N/roots.json`. `sealed_at` is null for a void turn. */
export interface PublishedRoots {
  state: Match["state"];
  draw_lot: string | null;
  turns: readonly { turn: number; lot: string; sealed_at?: number | null; seals: readonly (Roots & { void?: { reason: Reopening } | null })[] }[];
}

/**
 * `matching`: how many seals the published record confirms. The rest are numbers of turns: those that it contradicts,
 * those with a void seal of which this phone didn't see why it is void, and those that it saw reopened.
 */
export interface SealCheck extends Readonly<Record<"differing" | "unexplained" | Reopening, readonly number[]>> {
  matching: number;
  /** Whether the log has all of them, and extends the checkpoint that this phone has; null if that wasn't checked. */
  log: LogFinding;
}

type LoadRoots = (code: string, match: number, again: boolean) => Promise<PublishedRoots | null>;

/**
 * Keeps all seals and lots that this phone receives and what it saw that voids them, and compares them with the published
 * record when the match is over. A difference is confirmed by a second request before anyone is told.
 */
export class SealChecks {
  private event: EventState | null = null;
  private timer = 0;
  private tries = 0;

  constructor(
    private code: string,
    private changed: (check: SealCheck | null) => void,
    private load: LoadRoots = loadRoots,
    private findInLog: typeof checkLog = checkLog,
  ) {}

  /** `seq` shows whether a change was missed, also while the page was reloaded. */
  follow(event: EventState, seq: number): void {
    const [{ match }, before, next_lot] = [event, this.match, this.event?.next_lot];
    const follows = !!this.event && match?.number === (before?.number ?? 0) + 1;
    this.event = event;
    if (!match) return;
    if (follows && next_lot) storeKept(this.code, { ...NOTHING, match: match.id, draw: next_lot });
    this.count(seq);
    this.see(match.turn);
    if (match.turn && match.turn.id !== this.kept().opened?.turn) storeKept(this.code, { ...this.kept(), opened: { turn: match.turn.id, lot: match.turn.lot } });
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

  sealed(sealed: TurnSealed): void {
    const { turn, at, epoch } = sealed;
    const seals = this.seals();
    const roots = sealedRoots(at, sealed);
    if (!this.match || seals.some((seal) => seal.turn === turn && seal.at === at && hasRoots(seal, roots))) return;
    const open = this.match.turn?.id === turn ? this.match.turn : null;
    const received = { turn, epoch, number: open?.number ?? 0, closes_at: open?.closes_at ?? 0, lot: this.firstLot(turn), ...roots };
    this.store([...seals, { ...received, revealed: false, seen: reopening({ turn, at, epoch }, received.closes_at, open), missed: false }]);
  }

  /** The commitment with which the turn was opened: a later one could be chosen for its votes. */
  private firstLot(turn: number): string | null {
    const { opened } = this.kept();
    return opened?.turn === turn ? opened.lot : null;
  }

  private count(seq: number): void {
    const kept = this.kept();
    const missed = !!kept.seq && seq > kept.seq + 1;
    storeKept(this.code, { ...kept, seq, seals: missed ? kept.seals.map((seal) => ({ ...seal, missed })) : kept.seals });
  }

  /** Seals that this state of the match voids. */
  private see(turn: Turn | null): void {
    const seals = this.seals();
    const after = seals.map((seal) => ({ ...seal, seen: voidedBy(seal, turn) ?? seal.seen }));
    if (after.some(({ seen }, index) => seen !== seals[index]!.seen)) this.store(after);
  }

  /** The roots of a reveal are binding, too, if its seal got lost or was never sent. */
  private reveal(reveal: Reveal): void {
    const { turn, number, sealed_at } = reveal;
    const seals = this.seals();
    if (sealed_at && !seals.some((seal) => seal.turn === turn)) {
      this.store([...seals, { turn, number, epoch: 0, closes_at: 0, lot: this.firstLot(turn), ...sealedRoots(sealed_at, reveal), revealed: true, seen: null, missed: false }]);
      return;
    }
    const isRevealed = (seal: ReceivedSeal) => seal.turn === turn && seal.at === sealed_at && !seal.revealed;
    if (seals.some(isRevealed)) this.store(seals.map((seal) => (isRevealed(seal) ? { ...seal, number, revealed: true } : seal)));
  }

  private plan(ms: number, differed = false): void {
    this.timer = window.setTimeout(() => void this.check(differed), ms);
  }

  private async check(differed: boolean): Promise<void> {
    const { match } = this;
    if (!match || !isOver(match) || !this.seals().length) return;
    const roots = await this.load(this.code, match.number, differed).catch(() => null);
    const log = await this.findInLog(this.code, match.number, this.seals(), differed).catch(() => null);
    if (this.match?.id !== match.id || !isOver(this.match)) return;
    const check = roots && roots.state !== "playing" ? { ...compareSeals(this.seals(), roots, this.kept().draw), log } : null;
    const differs = !!check && (log === "differs" || check.differing.length + check.unexplained.length > 0);
    const isConfirmed = differed || !differs;
    if (check && isConfirmed) this.changed(check);
    if (!(check?.log && isConfirmed) && ++this.tries < MAX_TRIES) this.plan(AGAIN_MS + Math.random() * spreadMs(match), differed || differs);
  }

  private seals(): readonly ReceivedSeal[] {
    return this.kept().seals;
  }

  private store(seals: readonly ReceivedSeal[]): void {
    storeKept(this.code, { ...this.kept(), seals });
  }

  private kept(): Kept {
    const [kept, match] = [readKept(this.code), this.match?.id ?? 0];
    return kept.match === match ? kept : { ...NOTHING, match };
  }
}

interface Kept {
  match: number;
  /** The last change of the event that this phone received. */
  seq: number;
  seals: readonly ReceivedSeal[];
  /** `next_lot` before the match, if this phone was there. */
  draw: string | null;
  /** The turn that opened last, with the `lot` that it had then. */
  opened: { turn: number; lot: string | null } | null;
}

const NOTHING: Kept = { match: 0, seq: 0, seals: [], draw: null, opened: null };

/** Seals survive a reload of the page (sessionStorage). Without storage they are kept until then. */
const memory = new Map<string, Kept>();
const storageKey = (code: string) => `crowdgame:${code}:seals`;

function readKept(code: string): Kept {
  const none = memory.get(code) ?? NOTHING;
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

function voidedBy(seal: ReceivedSeal, turn: Turn | null): Seen | null {
  return turn && turn.id !== seal.turn && turn.number <= seal.number ? "voted_again" : reopening(seal, seal.closes_at, turn);
}

/**
 * Compares seals with the published record, which must have each of them. Of a void one, this phone must have seen why
 * it is void, or have missed a change since it received the seal. Another draw at the start counts as a difference in turn 1.
 */
export function compareSeals(seals: readonly ReceivedSeal[], { turns, draw_lot }: PublishedRoots, draw: string | null): Omit<SealCheck, "log"> {
  const found = seals.map((seal) => ({ ...seal, is: judge(seal, turns) }));
  const numbers = (is: Judgment) => [...new Set(found.filter((seal) => seal.is === is).map(({ number }) => number))];
  const differing = new Set([...(draw && draw !== draw_lot ? [1] : []), ...numbers("differing")]);
  const matching = found.filter(({ is }) => is !== "differing" && is !== "unexplained").length;
  return { matching, differing: [...differing], unexplained: numbers("unexplained"), time_added: numbers("time_added"), box_lost: numbers("box_lost") };
}

type Judgment = Seen | "counts" | "stopped" | "differing" | "unexplained";

function judge(seal: ReceivedSeal, turns: PublishedRoots["turns"]): Judgment {
  const published = turns.find(({ turn }) => turn === seal.turn);
  if (!published || (seal.lot !== null && seal.lot !== published.lot)) return "differing";
  const same = published.seals.find((other) => other.at === seal.at && hasRoots(other, seal));
  if (!same) return "differing";
  if (published.sealed_at === seal.at) return "counts";
  const isVoidTurn = published.sealed_at == null;
  if (seal.revealed && !isVoidTurn) return "differing";
  if (isVoidTurn && !seal.revealed && !turns.some(({ turn, sealed_at }) => turn > seal.turn && sealed_at != null)) return "stopped";
  const cause = isVoidTurn ? "voted_again" : same.void?.reason;
  const seen = seal.seen ?? (seal.missed && cause);
  return seen && isVoidTurn === (seen === "voted_again") ? seen : "unexplained";
}

async function loadRoots(code: string, match: number, again: boolean): Promise<PublishedRoots | null> {
  const answer = await fetchInTime(`/record/${code}/${match}/roots.json`, AGAIN_MS, { cache: again ? "reload" : "default" });
  return answer.ok ? ((await answer.json()) as PublishedRoots) : null;
}
