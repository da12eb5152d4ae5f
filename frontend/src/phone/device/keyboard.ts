/** Keyboard control and focus management: digits choose columns, and arrow keys move the focus between open ones. */
export function handleKey({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  if (ctrlKey || metaKey || altKey) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step) moveFocus(step);
  else if (/^[1-9]$/.test(key)) button(key)?.click();
  // Enter was pressed before a preceding arrow key had moved the focus. In all other cases the browser clicks the
  // focused button.
  else if (key === "Enter" && target === document.body) document.querySelector<HTMLElement>("[data-column]:focus")?.click();
}

/** The column that last had the keyboard focus. */
let focused = (document.activeElement as HTMLElement | null)?.dataset.column ?? "";

addEventListener("focusin", ({ target }) => (focused = (target as HTMLElement).dataset.column ?? ""));

/** Returns the focus to a column that lost it while disabled. */
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
