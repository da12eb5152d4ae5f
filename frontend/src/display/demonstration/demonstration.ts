import { t } from "../../live/i18n";
import { SPECIAL_RULES } from "../../live/match/specialRules";
import type { Board, EventState, Resolution } from "../../protocol";
import { readingTime } from "../captions/readingTime";
import turns from "./turns.json" with { type: "json" };

/** A turn by the game's rules, and the board after it. */
interface DemonstratedTurn {
  board: Board;
  resolution: Resolution;
}

/** One picture of the demonstration. All times are in milliseconds from its beginning. */
export interface DemonstrationStep extends DemonstratedTurn {
  /** When each ball begins to fall. */
  fallsAt: readonly [number, number];
  landedAt: number;
  tokenAt: number;
  captions: readonly { at: number; text: string }[];
  lasts: number;
}

/** What the loop shows: a step of the demonstration, or the special rules. `since`: milliseconds since its beginning. */
export interface LoopMoment {
  step: DemonstrationStep | null;
  since: number;
}

const GAMES = ["simultaneous-captains-mistress", "single-selector"];
export const FALL_MS = 950;
const [TWO, SAME, FOUR] = turns as unknown as [DemonstratedTurn, DemonstratedTurn, DemonstratedTurn];
const TOKEN_AT = 4000;

export const STEPS: readonly DemonstrationStep[] = [
  { ...TWO, ...together(4200), captions: [{ at: 0, text: t("Both teams drop at once") }] },
  {
    ...SAME, fallsAt: [1000, 2500], landedAt: 2500 + FALL_MS, tokenAt: TOKEN_AT, lasts: 6600,
    captions: [{ at: 0, text: t("Same column: the token's holder drops first") }, { at: TOKEN_AT, text: t("Then the token changes sides") }],
  },
  { ...FOUR, ...together(4200), captions: [{ at: 0, text: t("Four in a row wins") }] },
];

function together(lasts: number): Omit<DemonstrationStep, keyof DemonstratedTurn | "captions"> {
  return { fallsAt: [1000, 1000], landedAt: 1000 + FALL_MS, tokenAt: 0, lasts };
}

export function specialRules(state: EventState): readonly string[] {
  return state.special_rules.map((rule) => SPECIAL_RULES[rule]);
}

/** The steps shown before a match: none for games with other rules. */
export function demonstrationSteps(state: EventState): readonly DemonstrationStep[] {
  return GAMES.includes(state.game) ? STEPS : [];
}

/** The loop's parts, and how long each lasts. */
function loopParts(state: EventState): readonly (readonly [step: DemonstrationStep | null, ms: number])[] {
  const steps = demonstrationSteps(state).map((step) => [step, step.lasts] as const);
  const rules = specialRules(state);
  return rules.length ? [...steps, [null, readingTime([specialRulesTitle(), ...rules].join(" "))]] : steps;
}

export const specialRulesTitle = (): string => t("Special rules");

/** Whether there is anything to explain before a match. */
export function hasIntroduction(state: EventState): boolean {
  return loopParts(state).length > 0;
}

/** What the loop shows at a server time, so that all displays show the same. */
export function loopMoment(state: EventState, now: number): LoopMoment {
  const parts = loopParts(state);
  let since = now % parts.reduce((sum, [, ms]) => sum + ms, 0);
  for (const [step, ms] of parts) {
    if (since < ms) return { step, since };
    since -= ms;
  }
  throw new Error("there is nothing to show");
}

/** The milliseconds until the loop shows something else. */
export function untilNextMoment(state: EventState, { step, since }: LoopMoment): number {
  const lasts = loopParts(state).find(([part]) => part === step)![1];
  const moments = step ? [step.landedAt, step.tokenAt, ...step.captions.map(({ at }) => at)] : [];
  return Math.min(...[...moments, lasts].filter((moment) => moment > since)) - since;
}
