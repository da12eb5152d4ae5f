import { parts, t } from "../live/i18n";
import type { Side } from "../verify/record";
import type { Analysis } from "./analyzer";
import { percent, winningChance, type Chance } from "./evaluation";

/** Who is ahead, as a bar and in words, with the limits of an estimate. */
export function Value({ analysis, names, side }: { analysis: Analysis; names: Readonly<Record<Side, string>>; side: Side }) {
  const { solution, isSearching, hasFailed } = analysis;
  const chance = solution && winningChance(solution, side, isSearching);
  return (
    <div class="value" aria-busy={isSearching} data-exact={solution?.isExact ?? false}>
      <Bar chance={solution && winningChance(solution, "red", isSearching)} />
      <p>
        {hasFailed && t("This browser can’t compute the analysis.")}
        {chance && <>{parts("Winning chance of %(name)s: %(percent)s", { name: <bdi>{names[side]}</bdi>, percent: `${chance.high > chance.low ? "≈ " : ""}${percent(chance.value)}` })}{" · "}{describeSureness(chance)}</>}
        {solution && !chance && !isSearching && t("There are too many empty cells to tell.")}
        {isSearching && <span class="small"> {t("Still computing…")}</span>}
      </p>
    </div>
  );
}

const describeSureness = ({ low, high }: Chance): string => (low === high ? t("exact") : t("estimate, between %(low)s and %(high)s", { low: percent(low), high: percent(high) }));

function Bar({ chance }: { chance: Chance | null }) {
  return (
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" data-known={chance !== null}>
      <rect class="yellow" width="100" height="6" />
      <rect class="red" width={100 * (chance?.value ?? 0.5)} height="6" />
      {chance && chance.high > chance.low && <rect class="between" x={100 * chance.low} width={100 * (chance.high - chance.low)} y="2" height="2" />}
    </svg>
  );
}
