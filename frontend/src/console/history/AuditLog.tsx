import { NUMBER_LOCALE, p, t } from "../../live/i18n";
import { useStore } from "../../live/state/useStore";
import { ACTIONS, type Action } from "../../actions";
import type { AuditEntry } from "../../protocol";
import type { AuditLogStore } from "./auditLogStore";
import type { CommandProps } from "../actions/ActionButton";
import { buttonId } from "../actions/commands";
import type { EventHistory } from "./eventHistory";
import { plainOffer, type ActionOffer } from "../actions/offers";

const SHOWN = 10;

interface Props extends CommandProps {
  auditLog: AuditLogStore;
  history: EventHistory;
  /** Viewers cannot undo anything. */
  mayAct: boolean;
}

interface LogLine {
  key: string;
  at: number;
  text: string;
  undone: boolean;
  undo: ActionOffer | null;
}

/** The last ten audit log entries, newest first: what was done, by whom, and a button that undoes it. */
export function AuditLog(props: Props) {
  const lines = useLogLines(props);
  return (
    <section class="audit-log" aria-label={t("Activity log")}>
      <h2>{t("Activity log")}</h2>
      {lines.length === 0 && <p class="none">{t("No activity yet.")}</p>}
      <ol>
        {lines.map((line) => (
          <li key={line.key} data-undone={line.undone}>
            <time>{formatTime(line.at)}</time>
            <p><span>{line.text}</span></p>
            {line.undone && <em>{t("Undone")}</em>}
            {line.undo && props.mayAct && <Undo offer={line.undo} of={line.text} commands={props.commands} off={props.off} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

function useLogLines({ auditLog, history }: Props): readonly LogLine[] {
  const { entries } = useStore(auditLog.store);
  const { reveals, notes } = useStore(history.store);
  const byThemselves = [...reveals, ...notes].map(({ at, text }) => ({ key: `${at} ${text}`, at, text, undone: false, undo: null }));
  const lines = [...entries.map((entry) => ({ ...entry, key: `${entry.id}`, text: entry.what, undo: undoOffer(entry) })), ...byThemselves];
  return lines.sort((one, other) => other.at - one.at).slice(0, SHOWN);
}

/** The button that undoes the entry, while the server allows it. */
function undoOffer({ id, undo }: AuditEntry): ActionOffer | null {
  if (!undo) return null;
  const action = undo as Action;
  return { ...plainOffer(action, p("button", "Undo")), entry: id, confirm: ACTIONS[action].confirm && t("Sure?") };
}

const TODAY_MS = 20 * 3_600_000;

/** Includes the day in an event that lasts several days. */
function formatTime(at: number): string {
  const then = new Date(at);
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return then.toLocaleString(NUMBER_LOCALE, Date.now() - at < TODAY_MS ? { ...time, second: "2-digit" } : { ...time, weekday: "short" });
}

function Undo({ offer, of, commands, off }: CommandProps & { offer: ActionOffer; of: string }) {
  const { armed, waiting } = useStore(commands.store);
  const name = buttonId(offer);
  return (
    <button
      type="button"
      class="undo"
      aria-label={armed === name ? t("Press again to undo: %(action)s", { action: of }) : t("Undo: %(action)s", { action: of })}
      data-undo={offer.action}
      data-armed={armed === name}
      disabled={off || waiting.has(name)}
      onClick={() => commands.press(offer)}
    >
      {armed === name ? offer.confirm : offer.label}
    </button>
  );
}
