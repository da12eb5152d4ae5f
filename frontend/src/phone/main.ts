import "../live/tokens.css";
import { createPage } from "./phonePage";
import type { PagePreload } from "../protocol";
import { LANGUAGE } from "../live/i18n";
import { keepScreenAwake } from "../live/wakeLock";
import { renderHtml, html } from "./dom";
import "./phone.css";
import { loadDeferred, whenDeferred, deferred } from "./deferred";
import { enamel } from "./play/shape";
import { switchesLocale } from "./locales";
import { currentScreen } from "./currentScreen";

const preload = JSON.parse(document.getElementById("preload")?.textContent ?? "null") as PagePreload | null;
const app = document.getElementById("app")!;
const page = createPage(preload, () => {
  renderHtml(app, html`${enamel}${currentScreen(page)}`);
  deferred()?.refocus();
});

/** The selected column looks pressed at once. */
addEventListener("pointerdown", ({ target }) => {
  (target as Element).closest("[data-column]:enabled")?.setAttribute("data-pressed", "");
});

addEventListener("click", ({ target }) => {
  const { column, do: what } = (target as Element).closest<HTMLElement>("[data-column],[data-do]")?.dataset ?? {};
  if (column) page.cast(Number(column));
  if (!what) return;
  loadDeferred();
  whenDeferred((part) => part.runAction(what, page));
});

addEventListener("keydown", (event) => {
  if (!/^([1-9]|Enter|Arrow(Left|Right))$/.test(event.key)) return;
  loadDeferred();
  whenDeferred((part) => part.handleKey(event));
});

if (!switchesLocale(LANGUAGE)) {
  // Remove the key from the address, so that it is not shared with the link.
  history.replaceState(null, "", location.pathname);
  addEventListener("hashchange", () => location.reload());
  whenDeferred((part) => part.addListeners(page));
  keepScreenAwake();
  page.takeNewSeat();
}
