import type { Side } from "../protocol";

/**
 * Read the projector's key, which the console's link passes in the fragment. It is kept for this tab, so that
 * reloading works, and removed from the address bar, which the audience may photograph.
 */
export function readDisplayKey(code: string): string | null {
  const name = `crowdgame:${code}:projector`;
  addEventListener("hashchange", () => location.reload());
  const given = location.hash.slice(1);
  try {
    if (given) sessionStorage.setItem(name, given);
    if (given) history.replaceState(null, "", location.pathname + location.search);
    return sessionStorage.getItem(name);
  } catch {
    return given || null;
  }
}

/** The window of the stage, if that shows this page in a frame, else this page's. Those of other sites are inaccessible. */
export const stageWindow = () => (location.pathname.startsWith("/embed/") ? window : parent);

export function toggleFullscreen(): void {
  const { document } = stageWindow();
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen().catch(() => undefined);
}

/**
 * Display options from the query string: `?side=back`, `?home=yellow`, `?obs=1` (transparent background),
 * `?theme=wood`, `?preview=1` (a console's miniature: silent, and without a presenter).
 */
export interface DisplayOptions {
  back: boolean;
  /** The home team of this screen, by its color in the first match. */
  home: Side | null;
  bare: boolean;
  wood: boolean;
  preview: boolean;
}

export function readDisplayOptions(search: string): DisplayOptions {
  const asked = new URLSearchParams(search);
  return {
    back: asked.get("side") === "back",
    home: parseSide(asked.get("home")),
    bare: asked.get("obs") === "1",
    wood: asked.get("theme") === "wood",
    preview: asked.get("preview") === "1",
  };
}

function parseSide(word: string | null): Side | null {
  return word === "red" || word === "yellow" ? word : null;
}

const POINTER_MS = 3000;

let hidePointer = 0;

/** Show the pointer and the buttons for some seconds. */
export function showPointer(): void {
  document.body.dataset.pointer = "true";
  clearTimeout(hidePointer);
  hidePointer = window.setTimeout(() => delete document.body.dataset.pointer, POINTER_MS);
}

/** Show the pointer and the buttons only while the pointer moves. */
export function autoHidePointer(): void {
  addEventListener("pointermove", showPointer);
}
