import { useEffect, useState } from "preact/hooks";
import { Badge } from "../board/Ball";
import { thousands } from "../live/format";
import { sideOf, type Phase } from "../live/phase";
import { useStore } from "../live/store";
import type { Deed, EventState, Side, Team, Turn } from "../protocol";
import type { Desk } from "./desk";
import { counted, handsOffer, handsState, MOST_HANDS, totalOf } from "./counting";
import { Press } from "./Press";

interface Props {
  event: EventState;
  phase: Phase;
  deeds: readonly Deed[];
  desk: Desk;
  off: boolean;
}

/** For each team that votes by a show of hands: how many are up for each column. */
export function Hands(props: Props) {
  const turn = props.event.match?.turn;
  const teams = props.event.teams.filter(({ hands }) => hands);
  if (!turn) return null;
  return (
    <>
      {teams.map((team) => {
        const side = sideOf(props.event, team.number);
        return turn.to_move.includes(side) && <Count key={`${turn.id} ${team.number}`} {...props} {...{ turn, team, side }} />;
      })}
    </>
  );
}

function Count({ event, phase, deeds, desk, off, turn, team, side }: Props & { turn: Turn; team: Team; side: Side }) {
  const columns = event.match!.board.columns;
  const [hands, setHands] = useState<readonly number[]>(() => Array.from({ length: columns }, () => 0));
  const sent = useSent(desk, turn, team);
  const offer = handsOffer(team, turn, hands, phase);
  const set = (column: number, count: number) => setHands(counted(hands, column, count));
  const submit = (submitted: Event) => {
    submitted.preventDefault();
    if (!off) desk.press(offer);
  };
  return (
    <form class="hands" data-side={side} aria-label={`Hands of ${team.name}`} onSubmit={submit} onKeyDown={moveAcross}>
      <h3><Badge side={side} /> {team.name}: count the hands</h3>
      <ol>
        {hands.map((count, index) => (
          <Stepper key={index} column={index + 1} count={count} open={turn.legal[side].includes(index + 1)} set={set} />
        ))}
      </ol>
      <div class="sum">
        <output><b>{thousands(totalOf(hands))}</b> {totalOf(hands) === 1 ? "hand" : "hands"}</output>
        <p role="status">{handsState(hands, sent, deeds, turn, team, phase)}</p>
        <Press offer={offer} desk={desk} off={off} size="tall" submits />
      </div>
    </form>
  );
}

/** What this page has sent for the turn and was taken. */
function useSent(desk: Desk, turn: Turn, team: Team): readonly number[] | null {
  const { done } = useStore(desk.store);
  const [sent, setSent] = useState<readonly number[] | null>(null);
  useEffect(() => {
    if (done?.action === "hands.count" && done.turn === turn.id && done.team === team.number) setSent(done.hands ?? null);
  }, [done]);
  return sent;
}

interface StepperProps {
  column: number;
  count: number;
  open: boolean;
  set: (column: number, count: number) => void;
}

function Stepper({ column, count, open, set }: StepperProps) {
  return (
    <li>
      <button type="button" tabIndex={-1} aria-label={`One more for column ${column}`} disabled={!open} onClick={() => set(column, count + 1)}>+</button>
      <input
        type="number"
        inputMode="numeric"
        min={0}
        max={MOST_HANDS}
        aria-label={`Hands for column ${column}`}
        disabled={!open}
        value={count}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onInput={({ currentTarget }) => set(column, currentTarget.valueAsNumber)}
      />
      <button type="button" tabIndex={-1} aria-label={`One less for column ${column}`} disabled={!open || count === 0} onClick={() => set(column, count - 1)}>−</button>
      <b aria-hidden="true">{column}</b>
    </li>
  );
}

/** Left and right go to the next column, up and down count: the browser does that by itself. */
function moveAcross(event: KeyboardEvent): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || !(event.currentTarget instanceof HTMLElement)) return;
  const fields = [...event.currentTarget.querySelectorAll<HTMLInputElement>("input:enabled")];
  const next = fields[fields.indexOf(event.target as HTMLInputElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
