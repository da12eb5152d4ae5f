/** A keyboard: the digits press columns, the arrows walk along those that are open. */
export function handleKey({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  if (ctrlKey || metaKey || altKey) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step) moveFocus(step);
  else if (/^[1-9]$/.test(key)) button(key)?.click();
  // It was pressed before the arrow in front of it could lead anywhere. Else the browser has pressed what it was at.
  else if (key === "Enter" && target === document.body) document.querySelector<HTMLElement>("[data-column]:focus")?.click();
}

/** The column that a keyboard was at. */
let focused = (document.activeElement as HTMLElement | null)?.dataset.column ?? "";

addEventListener("focusin", ({ target }) => (focused = (target as HTMLElement).dataset.column ?? ""));

/** A column that was closed for a while lost it. */
export function refocus(): void {
  if (document.activeElement === document.body) button(focused)?.focus();
}

function button(column: string): HTMLButtonElement | null {
  return document.querySelector(`[data-column="${column}"]:enabled`);
}

function moveFocus(step: number): void {
  const open = [...document.querySelectorAll<HTMLButtonElement>("[data-column]:enabled")];
  const here = open.indexOf(document.activeElement as HTMLButtonElement);
  open[here < 0 ? 0 : (here + step + open.length) % open.length]?.focus();
}
