/** Writes on the body what the page is at: the ground's colour follows it. */
export function markBody(phase: string, team: number | string = "", side = ""): void {
  Object.assign(document.body.dataset, { phase, team, side });
}
