// The time when the board is drawn.
() => {
  const look = () => {
    if (document.querySelector(".stage .dock")) window.board ??= performance.now();
    if (window.board && performance.getEntriesByName("first-contentful-paint").length) console.info("board");
    else requestAnimationFrame(look);
  };
  look();
}
