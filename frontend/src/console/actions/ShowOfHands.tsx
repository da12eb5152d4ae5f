import { parts, t } from "../../live/i18n";
import { useEffect, useState } from "preact/hooks";
import { Badge } from "../../board/Ball";
import { formatNumber } from "../../live/format";
import { sideForTeam, type Phase } from "../../live/match/phase";
import { useStore } from "../../live/state/useStore";
import { byHands } from "../../live/match/ballotSource";
import type { AuditEntry, EventState, Side, Team, Turn } from "../../protocol";
import type { OrganizerCommands } from "./commands";
import { withCount, handsOffer, handsStatus, MAX_HANDS, totalHands } from "./handCounting";
import { ActionButton, type CommandProps } from "./ActionButton";

interface Props extends CommandProps {
  event: EventState;
  phase: Phase;
  audit: readonly AuditEntry[];
}

/** For each team that votes by a show of hands: the number of hands for each column. */
export function ShowOfHands(props: Props) {
  const turn = props.event.match?.turn;
  const teams = props.event.teams.filter(byHands);
  if (!turn) return null;
  return (
    <>
      {teams.map((team) => {
        const side = sideForTeam(props.event, team.number);
        return turn.to_move.includes(side) && <HandCounter key={`${turn.id} ${team.number}`} {...props} {...{ turn, team, side }} />;
      })}
    </>
  );
}

function HandCounter({ event, phase, audit, commands, off, turn, team, side }: Props & { turn: Turn; team: Team; side: Side }) {
  const columns = event.match!.board.columns;
  const [hands, setHands] = useState<readonly number[]>(() => Array.from({ length: columns }, () => 0));
  const sent = useSentCounts(commands, turn, team);
  const offer = handsOffer(team, turn, hands, phase);
  const set = (column: number, count: number) => setHands(withCount(hands, column, count));
  const submit = (submitted: Event) => {
    submitted.preventDefault();
    if (!off) commands.press(offer);
  };
  return (
    <form class="hands" data-side={side} aria-label={t("%(name)s: show of hands", { name: team.name })} onSubmit={submit} onKeyDown={moveBetweenFields}>
      <h3><Badge side={side} /> {t("%(name)s: show of hands", { name: team.name })}</h3>
      <ol>
        {hands.map((count, index) => (
          <Stepper key={index} column={index + 1} count={count} open={turn.legal[side].includes(index + 1)} set={set} />
        ))}
      </ol>
      <div class="sum">
        <output>{parts("Hands: %(count)s", { count: <b>{formatNumber(totalHands(hands))}</b> })}</output>
        <p role="status">{handsStatus(hands, sent, audit, turn, team, phase)}</p>
        <ActionButton offer={offer} commands={commands} off={off} size="tall" submits />
      </div>
    </form>
  );
}

/** The counts for this turn that this page has sent and the server has accepted. */
function useSentCounts(commands: OrganizerCommands, turn: Turn, team: Team): readonly number[] | null {
  const { done } = useStore(commands.store);
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
      <button type="button" tabIndex={-1} aria-label={t("Add a hand for column %(column)s", { column })} disabled={!open} onClick={() => set(column, count + 1)}>+</button>
      <input
        type="number"
        inputMode="numeric"
        min={0}
        max={MAX_HANDS}
        aria-label={t("Hands for column %(column)s", { column })}
        disabled={!open}
        value={count}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onInput={({ currentTarget }) => set(column, currentTarget.valueAsNumber)}
      />
      <button type="button" tabIndex={-1} aria-label={t("Remove a hand from column %(column)s", { column })} disabled={!open || count === 0} onClick={() => set(column, count - 1)}>−</button>
      <b aria-hidden="true">{column}</b>
    </li>
  );
}

/** Left and right move to the neighboring column. The browser itself handles up and down in number fields. */
function moveBetweenFields(event: KeyboardEvent): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || !(event.currentTarget instanceof HTMLElement)) return;
  const fields = [...event.currentTarget.querySelectorAll<HTMLInputElement>("input:enabled")];
  const next = fields[fields.indexOf(event.target as HTMLInputElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
