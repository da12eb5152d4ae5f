import { tidyCode } from "./address";
import { cardAct } from "./card";
import { Cheering } from "./cheering";
import { keepRead } from "./consent";
import type { Desk } from "./desk";
import { listenForMore, resign } from "./giving";
import { forgetSeat, keepHiding } from "./seat";
import type { Seated } from "./mine";
import { sideAct } from "./sides";
import { speak } from "./tongues";
import { askBell } from "./turn";

const HELD_MS = 400;

let heldAt = 0;
let cheering: { seated: Seated; by: Cheering } | null = null;

/** What is pressed, but the columns. */
export function act(what: string, desk: Desk): void {
  const { seated } = desk;
  if (what === "cheer") cheer(desk, seated!);
  else if (what === "hide" && Date.now() - heldAt < HELD_MS) keepHiding((desk.hiding = !desk.hiding));
  else if (what === "again") seated!.socket.send({ type: "again.ask" });
  else if (what === "stay") desk.stays = true;
  else if (what === "change") change(desk);
  else if (what === "reclaim") seated!.reclaim();
  else if (what === "bell") void askBell(desk.redraw);
  else if (what === "reload") location.reload();
  else if (/^[12]$/.test(what)) seated!.choose(Number(what));
  else if (/^(side|look|cross|remain)$/.test(what)) sideAct(what, desk);
  else if (what === "resign") resign(desk);
  else if (what === "read") keepRead(seated!.store.get().event!);
  else cardAct(what);
  desk.redraw();
}

function change(desk: Desk): void {
  forgetSeat(desk.address.code!);
  desk.sit();
}

function cheer(desk: Desk, seated: Seated): void {
  if (cheering?.seated !== seated) cheering = { seated, by: new Cheering((message) => void seated.socket.send(message), changed) };
  const { by } = cheering;
  by.press();

  function changed(): void {
    desk.pressed = by.pressed;
    desk.redraw();
  }
}

/** A code that is typed, a language that is chosen, and a hidden vote that is seen for as long as its button is held. */
export function listen(desk: Desk): void {
  const hold = (holding: boolean) => {
    if (desk.holding !== holding) desk.redraw();
    desk.holding = holding;
  };
  listenForMore(desk);
  addEventListener("submit", (event) => submit(event, desk));
  addEventListener("change", ({ target }) => target instanceof HTMLSelectElement && speak(target.value));
  addEventListener("pointerup", () => hold(false));
  addEventListener("pointercancel", () => hold(false));
  addEventListener("pointerdown", ({ target }) => {
    heldAt = Date.now();
    hold((target as Element).closest('[data-do="hide"]') !== null);
  });
  desk.redraw();
}

function submit(event: Event, desk: Desk): void {
  event.preventDefault();
  const code = tidyCode(document.querySelector("input")!.value);
  desk.empty = !code;
  if (code && desk.seated) desk.seated.show(code);
  else if (code) desk.go(`/${encodeURIComponent(code)}`);
  desk.redraw();
}
