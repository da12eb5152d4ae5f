// A duel's page: the chat is a drawer on a phone, and the last turns stay in view. What a turn brought appears on
// the page when the board has revealed it. The page is reloaded when it has another board.

const wide = matchMedia("(min-width: 60rem)");
const main = document.querySelector("main");
const frame = document.querySelector(".board iframe");
const { title } = document;
const layout = readLayout();

function readLayout() {
  return document.querySelector("[data-layout]").dataset.layout;
}

function fitDrawer() {
  const drawer = main.querySelector(".talks");
  if (drawer) drawer.open = wide.matches;
}

function showLastTurns() {
  const history = document.querySelector(".history");
  if (history) history.scrollTop = history.scrollHeight;
}

const isRevealing = () => frame?.contentDocument?.body?.dataset.phase === "reveal";

// "Your turn" stands before the title of the player's board: it becomes part of this page's title. A player sees
// the page change with the board; spectators may be many, and wait for the regular refresh.
function followBoard() {
  const { contentDocument } = frame;
  const showTitle = () => (document.title = [...contentDocument.title.split(" · ").slice(0, -1), title].join(" · "));
  const phaseChanged = () => isRevealing() || document.dispatchEvent(new Event("outdated"));
  new MutationObserver(showTitle).observe(contentDocument.querySelector("title"), { childList: true });
  new MutationObserver(phaseChanged).observe(contentDocument.body, { attributeFilter: ["data-phase"] });
  showTitle();
}

// Open the rooms that the fetched page has and this one has not, and close the others. At the end, the players and
// the spectators may read each other's messages.
function followTalks(page) {
  const theirs = page.querySelector(".talks");
  const ours = main.querySelector(".talks");
  if (!ours || !theirs) {
    ours?.remove();
    if (theirs) main.append(theirs);
    return fitDrawer();
  }
  for (const talk of ours.querySelectorAll(".talk")) if (!page.getElementById(talk.id)) talk.remove();
  for (const talk of theirs.querySelectorAll(".talk")) {
    const known = document.getElementById(talk.id);
    if (known) known.querySelector(".help").replaceWith(talk.querySelector(".help"));
    else ours.lastElementChild.append(talk);
  }
}

document.addEventListener("refreshing", (event) => isRevealing() && event.preventDefault());
document.addEventListener("refreshed", ({ detail }) => {
  if (readLayout() !== layout) return location.reload();
  followTalks(detail);
  showLastTurns();
});
wide.addEventListener("change", fitDrawer);
fitDrawer();
showLastTurns();
if (frame?.closest(".own")) {
  frame.addEventListener("load", followBoard);
  if (frame.contentDocument.readyState === "complete" && frame.contentDocument.URL !== "about:blank") followBoard();
}
