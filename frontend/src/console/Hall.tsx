import { Cabinet } from "../board/Cabinet";
import { Badge } from "../board/Ball";
import { Coin } from "../board/Coin";
import { without } from "../board/before";
import { thousands } from "../live/format";
import { revealStep, sideOf, tokenMoment, type Phase } from "../live/phase";
import type { Board, EventState, Match, TurnoutCounted } from "../protocol";
import { caption, isWindow } from "./words";

interface Props {
  event: EventState;
  phase: Phase;
  now: number;
  turnout: TurnoutCounted | null;
  code: string;
}

/** What the hall sees, in small: the board between two tides. */
export function Hall({ event, phase, now, turnout, code }: Props) {
  const match = phase === "lobby" ? null : event.match;
  return (
    <section class="hall" aria-label="What the hall sees">
      <Name team={1} event={event} />
      <Name team={2} event={event} />
      <Tide team={1} {...{ event, phase, turnout, match, now }} />
      <div class="stage">
        {match ? <Cabinet board={boardAt(match, phase, now)} lit={litAt(match, phase, now)} /> : <p class="sign">{code}</p>}
        <p class="caption">{caption(event, phase)}</p>
      </div>
      <Tide team={2} {...{ event, phase, turnout, match, now }} />
    </section>
  );
}

function Name({ team, event }: { team: 1 | 2; event: EventState }) {
  const side = sideOf(event, team);
  return <p class="team" data-side={side}><Badge side={side} /><b>{event.teams[team - 1]?.name}</b></p>;
}

type TideProps = Pick<Props, "event" | "phase" | "turnout" | "now"> & { team: 1 | 2; match: Match | null };

function Tide({ team, event, phase, turnout, match, now }: TideProps) {
  const side = sideOf(event, team);
  const [connected, voted] = [turnout?.connected[team - 1] ?? 0, turnout?.voted[team - 1] ?? 0];
  const counting = isWindow(phase) && !!match?.turn?.to_move.includes(side);
  const share = counting && connected ? Math.min(1, voted / connected) : 0;
  return (
    <div class="tide" data-side={side}>
      <div class="water" ref={(node) => node?.style.setProperty("--share", share.toFixed(3))} />
      <div class="coin">{match && tokenAt(match, phase, now) === side && <Coin />}</div>
      <p class="counts">
        <span hidden={!counting}><b data-voted={team}>{thousands(voted)}</b> voted</span>
        <span><b data-joined={team}>{thousands(connected)}</b> here</span>
      </p>
    </div>
  );
}

/** Until the balls have dropped, the board as it stood before. */
function boardAt(match: Match, phase: Phase, now: number): Board {
  const early = phase === "reveal" && ["sealed", "pour", "picks"].includes(revealStep(match, now));
  return early && match.reveal ? without(match.board, match.reveal.resolution.drops) : match.board;
}

function litAt(match: Match, phase: Phase, now: number): Board["winning_cells"] {
  return phase === "ended" || (phase === "reveal" && revealStep(match, now) === "lines") ? match.board.winning_cells : [];
}

function tokenAt(match: Match, phase: Phase, now: number): Board["token"] {
  const early = phase === "reveal" && match.reveal && now < tokenMoment(match);
  return early && match.reveal ? match.reveal.resolution.token_before : match.board.token;
}
