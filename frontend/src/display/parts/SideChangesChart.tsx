import { formatNumber, formatPercent } from "../../live/format";
import { n, t } from "../../live/i18n";
import type { SidesSummary } from "../../protocol";
import { sideFlow, loyalty } from "./sideFlow";

const HEIGHT = 190;

/** The voters' side changes, turn by turn, as a flow chart that is animated once. */
export function SideChangesChart({ sides, width }: { sides: SidesSummary; width: number }) {
  const flow = sideFlow(sides, width, HEIGHT);
  const [first, last] = [sides.turns[0], sides.turns[sides.turns.length - 1]];
  if (!first || !last) return null;
  return (
    <figure class="side-changes" style={{ width: `calc(${width} * var(--u))` }}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={describeTurns(sides)}>
        <path class="band red" d={flow.red} />
        <path class="band yellow" d={flow.yellow} />
        {flow.sideChanges.map(({ to, path, broad }, index) => <path key={index} class="side-change" data-to={to} d={path} stroke-width={broad} />)}
      </svg>
      <figcaption>
        <b>
          <i data-side="red">{first.red} → {last.red}</i> <i data-side="yellow">{first.yellow} → {last.yellow}</i> {t("%(share)s never switched", { share: formatPercent(loyalty(sides), 100) })}
        </b>
        <span>{changeTotals(sides)}</span>
      </figcaption>
    </figure>
  );
}

function changeTotals({ in_time, too_soon }: SidesSummary): string {
  const count = formatNumber(in_time);
  return too_soon
    ? n("%(count)s switched in time, %(early)s too soon", "%(count)s switched in time, %(early)s too soon", in_time, { count, early: formatNumber(too_soon) })
    : n("%(count)s switched in time", "%(count)s switched in time", in_time, { count });
}

function describeTurns(sides: SidesSummary): string {
  const turns = sides.turns.map(({ red, yellow }, index) => t("turn %(turn)s: %(red)s red, %(yellow)s yellow", { turn: index + 1, red, yellow }));
  return t("Voters on each side, by turn: %(turns)s", { turns: turns.join("; ") });
}
