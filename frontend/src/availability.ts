import type { Match } from "./protocol";

/** What the server refuses in a state, so that neither the console nor the presenter's keys offer it. */

/** Whether sides are secret in the live match: then nobody moves a voter, and vote counts stay hidden. */
export function hasSecretSides(match: Match | null): boolean {
  return match?.state === "playing" && match.max_side_changes > 0;
}
