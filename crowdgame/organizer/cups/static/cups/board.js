// Board client: a phone remembers its team; a big screen rotates through the sheets and shortens names.

import { shortName } from "../app/teamNames.js";

const SHEET_MS = 9_000;
const WIDE = matchMedia("(min-width: 56rem) and (orientation: landscape)");
let turned = 0;

const board = () => document.querySelector("[data-cup]");
const keptAt = () => `crowdgame:cup:${board().dataset.cup}`;

function chosen() {
  try {
    return localStorage.getItem(keptAt());
  } catch {
    return null; // storage is disabled
  }
}

function choose(team) {
  try {
    if (team) localStorage.setItem(keptAt(), team);
    else localStorage.removeItem(keptAt());
  } catch {
    // storage is disabled: the page asks again after a reload
  }
  showTeams(team);
}

function showTeams(ours) {
  const lines = [...board().querySelectorAll("[data-team]")];
  const known = lines.some((line) => line.dataset.team === ours);
  for (const line of lines) {
    line.hidden = known && line.dataset.team !== ours;
    line.querySelector(".choose").hidden = known;
  }
  board().classList.toggle("known", known);
  board().querySelector(".another").hidden = !known;
}

function showSheets() {
  const sheets = [...board().querySelectorAll(".sheet")];
  const open = sheets.filter((sheet) => sheet.dataset.over === "no");
  const turning = open.length ? open : sheets.slice(-1);
  for (const sheet of sheets) sheet.classList.toggle("away", sheet !== turning[turned % turning.length]);
}

function sharedLetters(one, two) {
  const count = (a, b) => [...a].findIndex((letter, place) => letter !== b[place]);
  const reversed = (name) => [...name].reverse().join("");
  return one === two ? -1 : count(`${one}\n`, two) + count(`${reversed(one)}\n`, reversed(two));
}

/** Where a name doesn't fit, leaves out what it shares with the most similar one. */
function fitNames() {
  const shown = [...board().querySelectorAll(":is(.sheet, .strip) bdi")].filter((part) => part.checkVisibility());
  for (const part of shown) part.textContent = part.title ||= part.textContent;
  const names = shown.map((part) => part.title);
  for (const part of shown) {
    const box = part.closest("th") ?? part;
    const fits = (text) => {
      part.textContent = text;
      return box.scrollWidth <= box.clientWidth + 1 && box.scrollHeight <= box.clientHeight + 3;
    };
    const similar = names.reduce((best, name) => (sharedLetters(part.title, name) > sharedLetters(part.title, best) ? name : best));
    if (!fits(part.title)) part.textContent = shortName(part.title, similar, fits);
  }
}

function show() {
  showTeams(chosen());
  showSheets();
  fitNames();
}

document.addEventListener("click", ({ target }) => {
  if (target.closest(".choose")) choose(target.closest("[data-team]").dataset.team);
  if (target.closest(".another")) choose(null);
});
document.addEventListener("refreshed", show);
setInterval(() => {
  turned += 1;
  if (WIDE.matches) show();
}, SHEET_MS);
addEventListener("resize", show);
document.body.classList.add("alive");
show();
