import { n, t } from "../../live/i18n";
import { useEffect, useState } from "preact/hooks";
import { useStore } from "../../live/state/useStore";
import type { ServerClock } from "../../live/connection/clock";
import { useNow } from "../../live/state/useNow";
import type { EventState } from "../../protocol";
import { formatSpan } from "../labels";
import { musicOffers, partOffers, plainOffer, type ActionOffer } from "./offers";
import { ActionButton, type CommandProps } from "./ActionButton";

const MAX_LENGTH = 140;
const COUNTER_FROM = 30;
/** How long a message is shown; 0: until it is cleared. */
const DURATIONS_S = [30, 120, 600, 0] as const;

interface Props extends CommandProps {
  event: EventState;
  clock: ServerClock;
}

/** The organizer's message to all, shown on every phone and the projector. */
export function NoticeForm({ event, clock, commands, off }: Props) {
  const [text, setText] = useState("");
  const [seconds, setSeconds] = useState<number>(DURATIONS_S[0]);
  const { done } = useStore(commands.store);
  useEffect(() => {
    if (done?.action === "notice.show") setText("");
  }, [done]);
  const offer: ActionOffer = { ...plainOffer("notice.show"), text: text.trim(), seconds: seconds || null, enabled: text.trim() !== "" };
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
        <select aria-label={t("How long the message is shown")} value={seconds} onChange={({ currentTarget }) => setSeconds(Number(currentTarget.value))}>
          {DURATIONS_S.map((duration) => <option key={duration} value={duration}>{duration ? formatSpan(duration) : t("Until cleared")}</option>)}
        </select>
        <ActionButton offer={offer} commands={commands} off={off} submits />
      </form>
      {event.notice && (
        <p class="standing">
          <q>{event.notice}</q>
          <TimeLeft event={event} clock={clock} />
          <ActionButton offer={plainOffer("notice.clear")} commands={commands} off={off} />
        </p>
      )}
    </section>
  );
}

function TimeLeft({ event, clock }: Pick<Props, "event" | "clock">) {
  const until = event.notice_until ?? 0;
  const left = until - useNow(clock, until);
  return left > 0 ? <small>{formatSpan(Math.ceil(left / 1000))}</small> : null;
}

/** Toggles for the parts that the projector shows beside the board. */
export function DisplayParts({ event, commands, off }: Omit<Props, "clock">) {
  return (
    <section class="display-parts" aria-label={t("On the big screen")}>
      <h3>{t("On the big screen")}</h3>
      {partOffers(event).map((offer) => <ActionButton key={offer.part} offer={offer} commands={commands} off={off} on={offer.action === "part.hide"} />)}
      {musicOffers(event).map((offer) => <ActionButton key="music" offer={offer} commands={commands} off={off} on={offer.action === "music.stop"} />)}
      <ActionButton offer={plainOffer("display.renew")} commands={commands} off={off} />
    </section>
  );
}
