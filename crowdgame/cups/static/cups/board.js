// Board client: a phone remembers its team; a big screen rotates through the sheets.

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

function show() {
  showTeams(chosen());
  showSheets();
}

document.addEventListener("click", ({ target }) => {
  if (target.closest(".choose")) choose(target.closest("[data-team]").dataset.team);
  if (target.closest(".another")) choose(null);
});
document.addEventListener("refreshed", show);
setInterval(() => {
  turned += 1;
  if (WIDE.matches) showSheets();
}, SHEET_MS);
document.body.classList.add("alive");
show();
