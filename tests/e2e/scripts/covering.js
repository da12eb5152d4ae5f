// Notices with a background of their own over the clock or the team's name, and a sentence too long for its box.
() => {
  const boxes = (parts) => [...document.querySelectorAll(parts)].map((part) => part.getBoundingClientRect());
  const covered = boxes(".ground h1, .ground .clock");
  const long = [...document.querySelectorAll(".play .sentence")].filter((part) => part.scrollHeight > part.clientHeight + 2);
  const over = boxes(".drop > *, .receipts summary").filter((notice) => covered.some((box) =>
    Math.min(notice.bottom, box.bottom) - Math.max(notice.top, box.top) > 2
    && Math.min(notice.right, box.right) - Math.max(notice.left, box.left) > 2));
  return [...over, ...long.map((part) => part.innerText)];
}
