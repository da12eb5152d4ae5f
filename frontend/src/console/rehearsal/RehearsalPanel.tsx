import { n, t } from "../../live/i18n";
import { useState } from "preact/hooks";
import { formatNumber } from "../../live/format";
import { useStore } from "../../live/state/useStore";
import type { EventState, RehearsalUpdated } from "../../protocol";
import { plainOffer, type ActionOffer } from "../actions/offers";
import { ActionButton, type CommandProps } from "../actions/ActionButton";
import { rehearsalMetrics, rehearsalObstacle, rehearsalSummary, type Rehearsal } from "./rehearsal";

const DEFAULT_PHONES = 50;
const MAX_PHONES = 200;

interface Props extends CommandProps {
  event: EventState;
  rehearsal: Rehearsal;
  connected: readonly [number, number];
}

/** In the page header while simulated votes may be counted. */
export function RehearsalBadge({ rehearsal }: { rehearsal: Rehearsal }) {
  const { latest } = useStore(rehearsal.store);
  if (!latest?.running) return null;
  return <a class="rehearsal-badge" href="#rehearsal">{t("A simulated crowd is playing")}</a>;
}

/** Start and stop a small simulated crowd, choose its size, and see its metrics. */
export function RehearsalPanel({ event, rehearsal, commands, off, connected }: Props) {
  const { latest } = useStore(rehearsal.store);
  const running = latest?.running ?? false;
  return (
    <section class="rehearsal" id="rehearsal" aria-label={t("Rehearsal")} data-running={running}>
      <h2>{running ? t("A simulated crowd is playing") : t("Rehearsal")}</h2>
      {running ? <ActionButton offer={STOP} commands={commands} off={off} /> : <RehearsalForm event={event} commands={commands} off={off} people={connected[0] + connected[1]} />}
      {latest ? <RehearsalResult latest={latest} /> : <p class="none">{t("Try the event with simulated phones before people arrive.")}</p>}
    </section>
  );
}

const STOP = plainOffer("rehearsal.stop");

/** Needs a confirming second click if people are connected: the simulated crowd would vote among them. */
function rehearsalOffer(event: EventState, phones: number, people: number): ActionOffer {
  const enabled = !rehearsalObstacle(event) && Number.isInteger(phones) && phones >= 1 && phones <= MAX_PHONES;
  const confirm = people ? { confirm: n("%(people)s person joined. Start anyway?", "%(people)s people joined. Start anyway?", people, { people: formatNumber(people) }) } : {};
  return { ...plainOffer("rehearsal.start"), enabled, phones, ...confirm };
}

function RehearsalForm({ event, commands, off, people }: Omit<Props, "rehearsal" | "connected"> & { people: number }) {
  const [phones, setPhones] = useState(DEFAULT_PHONES);
  const offer = rehearsalOffer(event, phones, people);
  const submit = (submitted: Event) => {
    submitted.preventDefault();
    if (!off) commands.press(offer);
  };
  return (
    <form onSubmit={submit}>
      <label for="phones">{t("Simulated phones")}</label>
      <input
        id="phones"
        type="number"
        inputMode="numeric"
        min={1}
        max={MAX_PHONES}
        required
        value={phones}
        onInput={(event) => setPhones(event.currentTarget.valueAsNumber)}
      />
      <ActionButton offer={offer} commands={commands} off={off} />
      <small>{rehearsalObstacle(event)}</small>
    </form>
  );
}

function RehearsalResult({ latest }: { latest: RehearsalUpdated }) {
  return (
    <>
      <p class="verdict" data-error={latest.lost > 0}>
        {latest.running ? rehearsalSummary(latest) : t("Last rehearsal: %(summary)s", { summary: rehearsalSummary(latest) })}
      </p>
      <dl>
        {rehearsalMetrics(latest).map(([figure, meaning]) => (
          <div key={meaning}>
            <dt>{meaning}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
