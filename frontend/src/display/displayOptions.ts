import type { Side } from "../protocol";

/**
 * What the control room's link gives a projector in its fragment. It is kept for this tab, to be loaded again, and
 * not in the address: a hall may photograph that.
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

export function toggleFullscreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen().catch(ignoreRefusal);
}

/** How the address wants the screen: `?side=back`, `?home=yellow`, `?obs=1` without a ground, `?theme=wood`. */
export interface DisplayOptions {
  back: boolean;
  /** Whose screen it is, by the colour of the first match. */
  home: Side | null;
  bare: boolean;
  wood: boolean;
}

export function readDisplayOptions(search: string): DisplayOptions {
  const asked = new URLSearchParams(search);
  return {
    back: asked.get("side") === "back",
    home: parseSide(asked.get("home")),
    bare: asked.get("obs") === "1",
    wood: asked.get("theme") === "wood",
  };
}

function parseSide(word: string | null): Side | null {
  return word === "red" || word === "yellow" ? word : null;
}

const POINTER_MS = 3000;

/** The pointer, and what is there to be pressed, shows itself only while it moves. */
export function autoHidePointer(): void {
  let hide = 0;
  addEventListener("pointermove", () => {
    document.body.dataset.pointer = "true";
    clearTimeout(hide);
    hide = window.setTimeout(() => delete document.body.dataset.pointer, POINTER_MS);
  });
}

/** A browser holds the screen awake only over https or on localhost; elsewhere the laptop's own setting must do. */
export function keepScreenAwake(): void {
  if (!("wakeLock" in navigator)) return;
  const hold = () => {
    if (document.visibilityState === "visible") navigator.wakeLock.request("screen").catch(ignoreRefusal);
  };
  document.addEventListener("visibilitychange", hold);
  hold();
}

/** A browser refuses on low battery or without a touch, and says so by itself. */
function ignoreRefusal(): void {}
