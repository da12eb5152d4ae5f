/** Keyboard control and focus management: digits choose columns, and arrow keys move the focus between open ones. */
export function handleKey({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  if (ctrlKey || metaKey || altKey || (target as Element).closest("input, dialog")) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step) moveFocus(step);
  else if (/^[1-9]$/.test(key)) button(key)?.click();
  // Enter was pressed before a preceding arrow key had moved the focus. In all other cases the browser clicks the
  // focused button.
  else if (key === "Enter" && target === document.body) document.querySelector<HTMLElement>("[data-column]:focus")?.click();
}

/** The column that last had the keyboard focus, or the suggestion whose button had it. */
let focused = (document.activeElement as HTMLElement | null)?.dataset.column ?? "";
let marked = "";

addEventListener("focusin", ({ target }) => {
  const { column, do: what } = (target as HTMLElement).dataset;
  focused = column ?? "";
  marked = /^mark-(?:agree|withdraw)(-\d+)$/.exec(what ?? "")?.[1] ?? "";
});

/** Returns the focus to a column that lost it while disabled, or to a suggestion that has moved. */
export function refocus(): void {
  if (document.activeElement !== document.body) return;
  button(focused)?.focus();
  if (marked) document.querySelector<HTMLElement>(`[data-do$="${marked}"]`)?.focus();
}

function button(column: string): HTMLButtonElement | null {
  return document.querySelector(`[data-column="${column}"]:enabled`);
}

function moveFocus(step: number): void {
  const open = [...document.querySelectorAll<HTMLButtonElement>("[data-column]:enabled")];
  const here = open.indexOf(document.activeElement as HTMLButtonElement);
  open[here < 0 ? 0 : (here + step + open.length) % open.length]?.focus();
}
