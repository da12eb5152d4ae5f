import { t } from "../../live/i18n";
import { useStore } from "../../live/state/useStore";
import { KEY_HINTS, URL_OPTIONS } from "./keyCommands";
import type { Access, Presenter } from "./presenter";

const STATUS: Record<Access, string> = {
  unknown: "",
  asking: t("Checking your access"),
  in: t("These keys control the event"),
  out: t("To control the event from here, log in to the console in this browser"),
};

/** Help: the list of keyboard shortcuts, and whether they work here. */
export function ShortcutHelp({ presenter }: { presenter: Presenter }) {
  const { access } = useStore(presenter.store);
  return (
    <div class="hints" role="dialog" aria-label={t("Keyboard shortcuts")}>
      <dl>{KEY_HINTS.map(renderHint)}</dl>
      <dl class="looks">{URL_OPTIONS.map(renderHint)}</dl>
      <p data-access={access}>{STATUS[access]}</p>
    </div>
  );
}

function renderHint([name, what]: readonly [string, string]) {
  return (
    <div key={name}>
      <dt>{name}</dt>
      <dd>{what}</dd>
    </div>
  );
}

/** The presenter's status message, above the footer of the stage; also shown on a blank screen. */
export function PresenterMessage({ presenter, foot }: { presenter: Presenter; foot: number }) {
  const { statusText } = useStore(presenter.store);
  return statusText ? <p class="presenter-message" role="status" style={{ minHeight: `calc(${foot} * var(--u))` }}>{statusText}</p> : null;
}
