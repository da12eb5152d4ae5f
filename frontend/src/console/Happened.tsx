import { useStore } from "../live/store";
import type { EventState } from "../protocol";
import type { Deeds } from "./deeds";
import type { Desk } from "./desk";
import { nameOf } from "./desk";
import type { Evening } from "./evening";
import type { Offer } from "./offers";
import type { Rehearsal } from "./rehearsal";
import { listed } from "./undoing";

const SHOWN = 10;

interface Props {
  event: EventState;
  deeds: Deeds;
  evening: Evening;
  rehearsal: Rehearsal;
  desk: Desk;
  off: boolean;
  /** A viewer undoes nothing. */
  mayAct: boolean;
}

interface Line {
  key: string;
  at: number;
  by: string;
  text: string;
  undone: boolean;
  undo: Offer | null;
}

/** The last ten things that happened, newest first: by whom, and what takes it back. */
export function Happened(props: Props) {
  const lines = useLines(props);
  return (
    <section class="happened" aria-label="What happened">
      <h2>What happened</h2>
      {lines.length === 0 && <p class="none">Nothing yet.</p>}
      <ol>
        {lines.map((line) => (
          <li key={line.key} data-undone={line.undone}>
            <time>{timeOf(line.at)}</time>
            <p>{line.by && <b>{line.by}</b>} <span>{line.text}</span></p>
            {line.undone && <em>Undone</em>}
            {line.undo && props.mayAct && <Undo offer={line.undo} of={line.text} desk={props.desk} off={props.off} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

function useLines({ event, deeds, evening, rehearsal }: Props): readonly Line[] {
  const told = useStore(deeds.store).deeds;
  const { reveals, notes } = useStore(evening.store);
  const rehearsing = useStore(rehearsal.store).told?.running ?? false;
  const done = listed(told, { event, rehearsing });
  const byThemselves = [...reveals, ...notes].map(({ at, text }) => ({ key: `${at} ${text}`, at, by: "", text, undone: false, undo: null }));
  const lines = [...done.map(({ deed, ...rest }) => ({ key: `${deed.id}`, at: deed.at, by: deed.by, text: deed.what, ...rest })), ...byThemselves];
  return lines.sort((one, other) => other.at - one.at).slice(0, SHOWN);
}

const TODAY_MS = 20 * 3_600_000;

/** In an event that lasts for days, the day. */
function timeOf(at: number): string {
  const then = new Date(at);
  return Date.now() - at < TODAY_MS ? then.toLocaleTimeString("en-GB") : then.toLocaleDateString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
}

function Undo({ offer, of, desk, off }: { offer: Offer; of: string; desk: Desk; off: boolean }) {
  const { armed, waiting } = useStore(desk.store);
  const name = nameOf(offer);
  return (
    <button
      type="button"
      class="undo"
      aria-label={armed === name ? `Press again to undo: ${of}` : `Undo: ${of}`}
      data-undo={offer.action}
      data-armed={armed === name}
      disabled={off || waiting.has(name)}
      onClick={() => desk.press(offer)}
    >
      {armed === name ? offer.sure : "Undo"}
    </button>
  );
}
