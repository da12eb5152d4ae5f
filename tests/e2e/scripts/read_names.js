// Marks above and below letters may reach beyond their line, by less than a line.
// Short forms are inside another element, beside the full name for screen readers.
() => [...document.querySelectorAll(".team-name, .corner .name")].map((name) => {
  const {overflowWrap, wordBreak} = getComputedStyle(name);
  const [own, room] = [name, name.parentElement].map((box) => box.getBoundingClientRect());
  const isCut = name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 8;
  return {
    text: (name.querySelector("bdi") ?? name).textContent,
    isWrong: isCut || own.left < room.left - 1 || own.right > room.right + 1
      || overflowWrap !== "normal" || wordBreak !== "normal",
  };
})
