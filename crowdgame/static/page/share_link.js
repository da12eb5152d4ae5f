// Copies and shares a game's link. Listens on the document, because the page replaces its content when it changes.
function unhide() {
  for (const copy of document.querySelectorAll(".invite .copy")) copy.hidden = !navigator.clipboard;
  for (const share of document.querySelectorAll(".invite .share")) share.hidden = !navigator.share;
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest(".invite button");
  if (!button) return;
  const url = button.closest(".invite").querySelector("input").value;
  if (button.matches(".share")) return navigator.share({ text: button.dataset.text, url }).catch(() => {});
  await navigator.clipboard.writeText(url);
  button.textContent = button.dataset.copied;
});
new MutationObserver(unhide).observe(document.querySelector("main"), { childList: true, subtree: true });
unhide();
