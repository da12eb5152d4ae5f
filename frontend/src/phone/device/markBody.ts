/** Sets the page's phase, team and side on the body; the background color depends on them. */
export function markBody(phase: string, team: number | string = "", side = ""): void {
  Object.assign(document.body.dataset, { phase, team, side });
}
