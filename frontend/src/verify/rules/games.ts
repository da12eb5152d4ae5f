import { startAlternating, startSelector, startSimultaneous } from "./columns";
import { startGoofspiel } from "./goofspiel";
import type { Start } from "./position";
import { startTrails } from "./trails";

/** The games whose rules are known, by slug. */
export const GAMES: ReadonlyMap<string, Start> = new Map([
  ["simultaneous-captains-mistress", startSimultaneous],
  ["captains-mistress", startAlternating],
  ["single-selector", startSelector],
  ["goofspiel", startGoofspiel],
  ["trails", startTrails],
]);
