import { useEffect, useState } from "preact/hooks";
import { useStore } from "../live/store";
import type { EventState } from "../protocol";
import type { Desk } from "./desk";
import { partOffers, plainOffer, type Offer } from "./offers";
import { Press } from "./Press";

const MOST_LETTERS = 140;
const NEAR_THE_END = 30;

interface Props {
  event: EventState;
  desk: Desk;
  off: boolean;
}

/** One line of the organizer's on every phone and the projector. */
export function Say({ event, desk, off }: Props) {
  const [text, setText] = useState("");
  const { done } = useStore(desk.store);
  useEffect(() => {
    if (done?.action === "notice.show") setText("");
  }, [done]);
  const offer: Offer = { ...plainOffer("notice.show", "Show"), text: text.trim(), enabled: text.trim() !== "" && text.trim() !== event.notice };
  const left = MOST_LETTERS - text.length;
  const submit = (submitted: Event) => {
    submitted.preventDefault();
    if (!off) desk.press(offer);
  };
  return (
    <section class="say" aria-label="A line for everyone">
      <form onSubmit={submit}>
        <label for="line">A line for everyone</label>
        <input
          id="line"
          maxLength={MOST_LETTERS}
          placeholder="On all screens"
          autocomplete="off"
          enterkeyhint="send"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        {left <= NEAR_THE_END && <small>{left === 1 ? "1 letter left" : `${left} letters left`}</small>}
        <Press offer={offer} desk={desk} off={off} submits />
      </form>
      {event.notice && (
        <p class="standing">
          <q>{event.notice}</q>
          <Press offer={plainOffer("notice.clear", "Take it down")} desk={desk} off={off} />
        </p>
      )}
    </section>
  );
}

/** What the projector shows beside the board, each switched off and on. */
export function Parts({ event, desk, off }: Props) {
  return (
    <section class="parts" aria-label="On the projector">
      <h3>On the projector</h3>
      {partOffers(event).map((offer) => <Press key={offer.part} offer={offer} desk={desk} off={off} on={offer.action === "part.hide"} />)}
    </section>
  );
}
