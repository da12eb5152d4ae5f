import { useStore } from "../live/store";
import type { Action, EventState } from "../protocol";
import type { Desk } from "./desk";
import { nameOf } from "./desk";
import { undoOf, type Entry, type Journal } from "./journal";
import { offersOf, type Offer } from "./offers";
import type { Phase } from "../live/phase";

interface Props {
  journal: Journal;
  desk: Desk;
  event: EventState;
  phase: Phase;
}

/** The last ten things that happened, those that can be undone with their undo. */
export function Happened({ journal, desk, event, phase }: Props) {
  const { entries } = useStore(journal.store);
  const offers = offersOf(event, phase);
  const all = [offers.main, ...(offers.beside ? [offers.beside] : []), ...offers.rest];
  const undo = (entry: Entry) => offerOf(all, undoOf(entry, entries, event));
  return (
    <section class="happened" aria-label="What happened">
      <h2>What happened</h2>
      {entries.length === 0 && <p class="none">Nothing yet since you opened this page.</p>}
      <ol>
        {entries.map((entry) => (
          <li key={entry.seq}>
            <time>{new Date(entry.at).toLocaleTimeString("en-GB")}</time>
            <span>{entry.text}</span>
            <Undo offer={undo(entry)} desk={desk} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function offerOf(all: readonly Offer[], action: Action | null): Offer | undefined {
  return all.find((offer) => offer.action === action && offer.enabled);
}

function Undo({ offer, desk }: { offer: Offer | undefined; desk: Desk }) {
  const { armed, waiting } = useStore(desk.store);
  if (!offer) return null;
  const name = nameOf(offer);
  return (
    <button type="button" class="undo" data-undo={offer.action} data-armed={armed === name} disabled={waiting.has(name)} onClick={() => desk.press(offer)}>
      {armed === name ? "Sure?" : "Undo"}
    </button>
  );
}
