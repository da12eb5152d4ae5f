() => [...document.querySelectorAll(".qr")].map(card => {
  const [symbol, half] = [card.querySelector("path"), card.closest(".team-join")];
  const {left, right, top, bottom} = symbol.getBoundingClientRect();
  return {
    url: card.getAttribute("aria-label").replace("QR code to join: ", ""),
    path: symbol.getAttribute("d"), left, right, height: bottom - top,
    team: half?.querySelector("h2").textContent ?? null, side: half?.dataset.side ?? null,
  };
})
