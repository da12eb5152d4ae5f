import type { PagePreload } from "../protocol";
import { readAddress } from "./address";
import type { PhoneScreen } from "./phoneScreen";
import { isHiding, readKey } from "./seat/storage";
import { PhoneSeat } from "./seat/phoneSeat";

export interface PhonePage extends PhoneScreen {
  /** Casts a ballot, and draws after the next frame, in which the selected column already looks pressed. */
  cast: (column: number) => void;
}

/**
 * Creates the page's state. Changes of it call `draw`. `preload` is the event's state when the page was requested; it is
 * used for the first seat only.
 */
export function createPage(preload: PagePreload | null, draw: () => void): PhonePage {
  let due = false;

  function takeNewSeat(): void {
    const { code, team, key } = page.address;
    page.seated?.leave();
    page.keepsSeat = !key || !code || key === readKey(code);
    page.seated = code ? new PhoneSeat(code, team, key, preload) : null;
    preload = null;
    page.seated?.store.subscribe(redraw);
    page.seated?.voter.subscribe(redraw);
    redraw();
  }

  /** Draws once for all changes caused by one message. */
  function redraw(): void {
    if (!due) queueMicrotask(drawNow);
    due = true;
  }

  function drawNow(): void {
    due = false;
    draw();
  }

  const page: PhonePage = {
    address: readAddress(location.pathname, location.hash),
    seated: null,
    keepsSeat: true,
    unknown: "",
    empty: false,
    hiding: isHiding(),
    holding: false,
    pressed: 0,
    takeNewSeat,
    redraw,
    navigate(path, unknown = "") {
      history.replaceState(null, "", path);
      page.unknown = unknown;
      page.address = readAddress(path);
      takeNewSeat();
    },
    cast(column) {
      due = true;
      page.seated!.cast(column);
      requestAnimationFrame(() => setTimeout(drawNow));
    },
  };
  return page;
}
