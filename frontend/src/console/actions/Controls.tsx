import { t } from "../../live/i18n";
import { useStore } from "../../live/state/useStore";
import type { EventState } from "../../protocol";
import { extraTimeOffers, soundOffers, type ActionOffers } from "./offers";
import { ActionButton, type CommandProps } from "./ActionButton";
import type { PageLink } from "../links";

/**
 * The main actions, the result of the last command, and all other actions. `next`: a link that is suggested before the
 * main actions.
 */
export function Controls({ offers, commands, off, next }: CommandProps & { offers: ActionOffers; next: PageLink | null }) {
  return (
    <>
      <div class="main-actions">
        {next && <a class="action-button huge" href={next.href}>{next.name}</a>}
        {offers.main.length === 0 && <p class="read-only">{t("This match runs on the players' clocks. Its turns can't be controlled here.")}</p>}
        {offers.main.map((offer, place) => <ActionButton key={place} offer={offer} commands={commands} off={off} size={!next && offer.action === offers.suggested ? "huge" : "tall"} />)}
      </div>
      <CommandResultLine commands={commands} help={offers.main.find(({ help }) => help)?.help ?? ""} />
      <div class="more-actions">{offers.rest.map((offer) => <ActionButton key={offer.action + offer.shortcut} offer={offer} commands={commands} off={off} />)}</div>
    </>
  );
}

/** Without a result, shows the help, which screen readers get from its button. */
function CommandResultLine({ commands, help }: Pick<CommandProps, "commands"> & { help: string }) {
  const { result } = useStore(commands.store);
  return <p class="command-result" role="status" data-error={result?.error ?? false}>{result ? result.text : <span aria-hidden="true">{help}</span>}</p>;
}

/** Asks once whether big screens play sound. The switch under the message to all stays. */
export function SoundOffer({ event, commands, off }: CommandProps & { event: EventState }) {
  const offers = soundOffers(event);
  if (offers.length === 0) return null;
  return (
    <div class="sound-offer" role="group" aria-label={t("Sound on the big screen")}>
      <p>{t("Sound on the big screen")}</p>
      {offers.map((offer) => <ActionButton key={offer.action} offer={offer} commands={commands} off={off} />)}
      <small>{t("If the big screen asks for it, press any key there.")}</small>
    </div>
  );
}

/** Toggles extra time for each turn. */
export function ExtraTime({ event, commands, off }: CommandProps & { event: EventState }) {
  const offers = extraTimeOffers(event);
  if (offers.length === 0) return null;
  return (
    <div class="extra-time" role="group" aria-label={t("Extra time per turn")}>
      <p>{t("Extra time per turn")}</p>
      {offers.map((offer) => <ActionButton key={offer.label} offer={offer} commands={commands} off={off} on={offer.seconds === undefined} />)}
    </div>
  );
}
