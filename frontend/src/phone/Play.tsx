import { useEffect } from "preact/hooks";
import { percent, spokenSeconds } from "../live/format";
import { useMoments, useNow } from "../live/now";
import { phaseMoments, phaseOf, revealMoments, revealStep, sideOf, teamOf, tokenMoment, type Phase } from "../live/phase";
import { useStore } from "../live/store";
import type { EventState, Match, Side } from "../protocol";
import { Board } from "./Board";
import { Hint } from "./Hint";
import { mark } from "./mark";
import type { Seated } from "./seated";
import { Privacy } from "./Privacy";
import { Missing, Peek, Receipts } from "./Receipts";
import { Shape, Token } from "./Shape";
import { heart, ownColumn, sentence, type View } from "./words";

/** The phone of a voter with a seat: the same ground at all times, its middle changes. */
export function Play({ seated, team }: { seated: Seated; team: number }) {
  const live = useStore(seated.store);
  const mine = useStore(seated.mine);
  const event = live.event!;
  const now = useMoments(seated.clock, momentsOf(event));
  const phase = phaseOf(event, now);
  const side = sideOf(event, team);
  const view: View = { ...mine, event, team, side, phase, now, turnout: live.turnout, connection: live.connection };
  const { name } = event.teams[team - 1]!;
  const match = phase === "lobby" ? null : event.match;
  useEffect(() => mark({ phase: live.connection.state === "joined" ? phase : live.connection.state, team, side }));
  useKeys(seated, phase);
  return (
    <main data-status={mine.ballot.status} class={match ? "play" : "play calm"} data-peek={event.peek} style={sizes(match)}>
      <section class="ground">
        <Clock view={view} seated={seated} />
        {match && <Receipts view={view} match={match.number} />}
        <Missing view={view} />
        <h1 class={name.length > 18 ? "long" : ""}>
          <small>You are</small> {name}
        </h1>
      </section>
      <section class="panel">
        <Hint connection={live.connection} />
        <p class="sentence" role="status">
          {sentence(view)}
        </p>
        {match && (
          <Board
            {...{ match, phase, side, now }}
            ballot={mine.ballot}
            own={ownColumn(mine.record, match.reveal)}
            cast={seated.cast}
          />
        )}
        {match && <Foot view={view} match={match} />}
        {event.peek && <Peek />}
        {!match && <Privacy said={event.admission === "open" ? "One device is one vote here: that proves no person. " : ""} />}
        <NextMatch seated={seated} event={event} phase={phase} />
      </section>
    </main>
  );
}

/** The style sheet makes the cells as large as these let it. */
function sizes(match: Match | null): { [name: string]: number } {
  return { "--columns": match?.board.columns ?? 7, "--rows": match?.board.rows ?? 6 };
}

function momentsOf(event: EventState): number[] {
  const { match } = event;
  if (!match?.reveal) return phaseMoments(event);
  return [...phaseMoments(event), ...revealMoments(match), tokenMoment(match)];
}

/** The shape is the clock: its outline drains as the window closes. */
function Clock({ view, seated }: { view: View; seated: Seated }) {
  const { match } = view.event;
  const until = endOf(view, match);
  const now = useNow(seated.clock, until);
  const left = view.phase === "voting" && match ? share(until - now, match.window_s * 1000) : 1;
  const text = heart({ ...view, now });
  const last = view.phase === "voting" && until - now <= 5000;
  return (
    <div class={`clock ${view.side}${last ? " last" : ""}`} >
      <Shape side={view.side} left={left} />
      {text && (
        <span data-size={sizeOf(text)} role={until ? "timer" : undefined} aria-label={until ? spokenSeconds(until - now) : undefined}>
          <b key={last ? text : ""}>{text}</b>
        </span>
      )}
    </div>
  );
}

/** Long words are set smaller; a long window's time stands on two lines. */
function sizeOf(text: string): string | number {
  if (text.includes(" ")) return "two";
  return text === "won" ? 4 : Math.min(6, text.length);
}

function endOf({ phase, now }: View, match: Match | null): number {
  const turn = match?.turn;
  if (!turn || turn.paused) return 0;
  if (phase === "voting") return turn.closes_at;
  const counts = phase === "waiting" || (phase === "reveal" && revealStep(match, now) === "lines");
  return counts ? turn.opens_at : 0;
}

function share(part: number, whole: number): number {
  return whole ? Math.max(0, Math.min(1, part / whole)) : 1;
}

/** Both teams, the coin on its holder's side; in the reveal with what they picked. */
function Foot({ view, match }: { view: View; match: Match }) {
  return (
    <div class="foot">
      <Corner view={view} match={match} side="red" />
      <Corner view={view} match={match} side="yellow" />
    </div>
  );
}

function Corner({ view, match, side }: { view: View; match: Match; side: Side }) {
  const { name } = teamOf(view.event, side);
  const coin = holder(view, match) === side;
  const picked = pickedText(view, match, side);
  return (
    <div class={`corner ${side}`}>
      <Token name={`ball-${side}`} />
      <span class={picked ? "picked" : "name"}>{picked || name}</span>
      {coin && <Token name="coin" />}
      {coin && <span class="hidden">holds the token</span>}
    </div>
  );
}

function holder({ phase, now }: View, match: Match): Side | null {
  const resolution = match.reveal?.resolution;
  return phase === "reveal" && resolution && now < tokenMoment(match) ? resolution.token_before : match.board.token;
}

function pickedText({ phase, now }: View, match: Match, side: Side): string {
  const tally = match.reveal?.[side];
  const step = revealStep(match, now);
  if (phase !== "reveal" || !tally || step === "sealed" || step === "pour" || tally.pick === null) return "";
  return tally.ballots ? `${tally.pick} · ${percent(tally.counts[tally.pick - 1] ?? 0, tally.ballots)}` : `${tally.pick}`;
}

function NextMatch({ seated, event, phase }: { seated: Seated; event: EventState; phase: Phase }) {
  const at = event.next_match_at ?? 0;
  const now = useNow(seated.clock, at);
  if (!at || (phase !== "ended" && phase !== "lobby")) return null;
  return <p class="next">{now < at ? `Next match in ${spokenSeconds(at - now)}` : "The next match begins"}</p>;
}

function useKeys(seated: Seated, phase: Phase): void {
  useEffect(() => {
    if (phase !== "voting") return;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) walk(step);
      else button(event.key)?.click();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [seated, phase]);
}

function button(column: string): HTMLButtonElement | null {
  return /^[1-9]$/.test(column) ? document.querySelector(`[data-column="${column}"]:enabled`) : null;
}

function walk(step: number): void {
  const open = [...document.querySelectorAll<HTMLButtonElement>("[data-column]:enabled")];
  const here = open.indexOf(document.activeElement as HTMLButtonElement);
  open[here < 0 ? 0 : (here + step + open.length) % open.length]?.focus();
}
