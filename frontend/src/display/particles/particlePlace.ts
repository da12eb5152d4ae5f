import type { ParticleTeam } from "./particleTeams";

/** The middle of a ballot's particle in its pile, in stage units; null without a pile. As in the vertex shader. */
export function particlePlace(team: ParticleTeam, column: number, rank: number, votes: number): { x: number; y: number } | null {
  const [pile, first, end] = [team.piles[column - 1], team.ranks[column - 1], team.ranks[column]];
  if (!pile || first === undefined || end === undefined || rank >= votes) return null;
  const count = Math.max(1, end - first);
  const particle = Math.floor((rank / votes) * count);
  const row = Math.floor(particle / team.wide);
  const inRow = Math.min(team.wide, count - row * team.wide);
  const across = (particle - row * team.wide + 0.5 + 0.5 * (team.wide - inRow)) / team.wide;
  return { x: pile.left + team.barWidth * across, y: team.barFloor - ((row + 0.5) * pile.height) / Math.ceil(count / team.wide) };
}
