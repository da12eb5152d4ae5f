import { n, t } from "../../live/i18n";
import type { CountsUpdated, EventState, Side } from "../../protocol";
import { isWindowPhase } from "../labels";
import type { Phase } from "../../live/match/phase";

interface Props {
  event: EventState;
  phase: Phase;
  counts: CountsUpdated | null;
}

/**
 * The votes so far by column, if the event lets organizers see them. Placed below the buttons, so that those never
 * move.
 */
export function VotesSoFar({ event, phase, counts }: Props) {
  const { match } = event;
  if (!event.peek || !match?.turn || !isWindowPhase(phase)) return null;
  const now = counts?.turn === match.turn.id ? counts : null;
  const most = Math.max(1, ...(now?.red ?? []), ...(now?.yellow ?? []));
  const columns = Array.from({ length: match.board.columns }, (_, index) => index);
  return (
    <section class="votes-so-far" aria-label={t("Votes so far")}>
      <h2>{t("Votes so far")}</h2>
      <p>{t("All screens say that you can see them.")}</p>
      <ol>
        {columns.map((index) => (
          <li key={index} data-peek={index + 1}>
            <Bar side="red" votes={now?.red[index] ?? 0} most={most} />
            <Bar side="yellow" votes={now?.yellow[index] ?? 0} most={most} />
            <b>{index + 1}</b>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The Content Security Policy forbids inline styles in HTML. A script may set them. */
function Bar({ side, votes, most }: { side: Side; votes: number; most: number }) {
  const label = side === "red" ? n("%(count)s vote for red", "%(count)s votes for red", votes) : n("%(count)s vote for yellow", "%(count)s votes for yellow", votes);
  return (
    <span data-side={side} aria-label={label} ref={(node) => node?.style.setProperty("--share", (votes / most).toFixed(3))}>
      <small>{votes}</small>
    </span>
  );
}
