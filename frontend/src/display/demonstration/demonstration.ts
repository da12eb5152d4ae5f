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

/** What the loop shows for `lasts` milliseconds: a step of the demonstration, or some of the special rules. */
interface LoopPart {
  step: DemonstrationStep | null;
  rules: readonly string[];
  lasts: number;
}

/** `since`: milliseconds since the part began. */
export interface LoopMoment extends LoopPart {
  since: number;
}

const GAMES = ["simultaneous-captains-mistress", "single-selector"];
export const FALL_MS = 950;
const [TWO, SAME, FOUR] = turns as unknown as [DemonstratedTurn, DemonstratedTurn, DemonstratedTurn];
const TOKEN_AT = 4000;
/** Beside the QR code, an old projector has room for no more special rules. */
const RULES_AT_ONCE = 3;

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

function loopParts(state: EventState): readonly LoopPart[] {
  const steps = demonstrationSteps(state).map((step) => ({ step, rules: [], lasts: step.lasts }));
  const pages = inPages(specialRules(state)).map((rules) => ({ step: null, rules, lasts: readingTime([specialRulesTitle(), ...rules].join(" ")) }));
  return [...steps, ...pages];
}

/** At most RULES_AT_ONCE on each page, and about as many on each. */
function inPages(rules: readonly string[]): string[][] {
  const pages = Math.ceil(rules.length / RULES_AT_ONCE);
  const each = Math.ceil(rules.length / pages);
  return Array.from({ length: pages }, (_, page) => rules.slice(page * each, (page + 1) * each));
}

export const specialRulesTitle = (): string => t("Special rules");

/** Whether there is anything to explain before a match. */
export function hasIntroduction(state: EventState): boolean {
  return loopParts(state).length > 0;
}

/** What the loop shows at a server time, so that all displays show the same. */
export function loopMoment(state: EventState, now: number): LoopMoment {
  const parts = loopParts(state);
  let since = now % parts.reduce((sum, { lasts }) => sum + lasts, 0);
  for (const part of parts) {
    if (since < part.lasts) return { ...part, since };
    since -= part.lasts;
  }
  throw new Error("there is nothing to show");
}

/** The milliseconds until the loop shows something else. */
export function untilNextMoment({ step, lasts, since }: LoopMoment): number {
  const moments = step ? [step.landedAt, step.tokenAt, ...step.captions.map(({ at }) => at)] : [];
  return Math.min(...[...moments, lasts].filter((moment) => moment > since)) - since;
}
