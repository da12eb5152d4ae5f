// A duel's page: the chat is a drawer on a phone, and the last turns stay in view. The page is reloaded when it has
// another board or chat.

const wide = matchMedia("(min-width: 60rem)");
const drawer = document.querySelector(".talks");
const frame = document.querySelector(".board iframe");
const { title } = document;
const layout = readLayout();

function readLayout() {
  return document.querySelector("[data-layout]").dataset.layout;
}

function fitDrawer() {
  if (drawer) drawer.open = wide.matches;
}

function showLastTurns() {
  const history = document.querySelector(".history");
  if (history) history.scrollTop = history.scrollHeight;
}

// "Your turn" stands before the title of the player's board: it becomes part of this page's title.
function followTitle() {
  const { contentDocument } = frame;
  const show = () => (document.title = [...contentDocument.title.split(" · ").slice(0, -1), title].join(" · "));
  new MutationObserver(show).observe(contentDocument.querySelector("title"), { childList: true });
  show();
}

document.addEventListener("cup", () => {
  if (readLayout() !== layout) location.reload();
  showLastTurns();
});
wide.addEventListener("change", fitDrawer);
fitDrawer();
showLastTurns();
if (frame?.closest(".own")) {
  frame.addEventListener("load", followTitle);
  if (frame.contentDocument.readyState === "complete" && frame.contentDocument.URL !== "about:blank") followTitle();
}
