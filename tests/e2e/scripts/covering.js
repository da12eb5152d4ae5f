// Notices with a background of their own over the clock or the team's name.
() => {
  const boxes = (parts) => [...document.querySelectorAll(parts)].map((part) => part.getBoundingClientRect());
  const covered = boxes(".ground h1, .ground .clock");
  return boxes(".drop > *, .receipts summary").filter((notice) => covered.some((box) =>
    Math.min(notice.bottom, box.bottom) - Math.max(notice.top, box.top) > 2
    && Math.min(notice.right, box.right) - Math.max(notice.left, box.left) > 2));
}
