import { n, t } from "../../live/i18n";
import { useEffect, useState } from "preact/hooks";
import { useStore } from "../../live/state/useStore";
import type { EventState } from "../../protocol";
import { partOffers, plainOffer, type ActionOffer } from "./offers";
import { ActionButton, type CommandProps } from "./ActionButton";

const MAX_LENGTH = 140;
const COUNTER_FROM = 30;

interface Props extends CommandProps {
  event: EventState;
}

/** The organizer's message to all, shown on every phone and the projector. */
export function NoticeForm({ event, commands, off }: Props) {
  const [text, setText] = useState("");
  const { done } = useStore(commands.store);
  useEffect(() => {
    if (done?.action === "notice.show") setText("");
  }, [done]);
  const offer: ActionOffer = { ...plainOffer("notice.show"), text: text.trim(), enabled: text.trim() !== "" && text.trim() !== event.notice };
  const left = MAX_LENGTH - text.length;
  const submit = (submitted: Event) => {
    submitted.preventDefault();
    if (!off) commands.press(offer);
  };
  return (
    <section class="notice-form" aria-label={t("Message to all")}>
      <form onSubmit={submit}>
        <label for="line">{t("Message to all")}</label>
        <input
          id="line"
          maxLength={MAX_LENGTH}
          placeholder={t("On all screens")}
          autocomplete="off"
          enterkeyhint="send"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        {left <= COUNTER_FROM && <small>{n("%(count)s character left", "%(count)s characters left", left)}</small>}
        <ActionButton offer={offer} commands={commands} off={off} submits />
      </form>
      {event.notice && (
        <p class="standing">
          <q>{event.notice}</q>
          <ActionButton offer={plainOffer("notice.clear")} commands={commands} off={off} />
        </p>
      )}
    </section>
  );
}

/** Toggles for the parts that the projector shows beside the board. */
export function DisplayParts({ event, commands, off }: Props) {
  return (
    <section class="display-parts" aria-label={t("On the big screen")}>
      <h3>{t("On the big screen")}</h3>
      {partOffers(event).map((offer) => <ActionButton key={offer.part} offer={offer} commands={commands} off={off} on={offer.action === "part.hide"} />)}
      <ActionButton offer={plainOffer("display.renew")} commands={commands} off={off} />
    </section>
  );
}
