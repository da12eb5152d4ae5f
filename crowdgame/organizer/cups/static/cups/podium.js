// Podium client: loads the big screen's font, fits the names into their places, and throws confetti once.

const WIDE = matchMedia("(min-width: 56rem) and (orientation: landscape)");
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const RANGES = { latin: "U+0-FF, U+131, U+152-153, U+2000-206F, U+20AC", "latin-ext": "U+100-130, U+132-151, U+154-2AF, U+1E00-1E9F" };
const LEAST = 0.2;
const PIECES = 260;
const CONFETTI_MS = 6_000;
const COLORS = { red: ["#ff6b7b", "#fff4ea", "#d9b36c"], yellow: ["#fff0a6", "#fff4ea", "#d9b36c"], "": ["#f4f1e8", "#d9b36c", "#f0d79e"] };

async function loadFonts() {
  const urls = document.body.dataset.fonts.split(" ").filter(Boolean);
  const faces = urls.map((url) => new FontFace("Barlow Condensed", `url(${url})`, { weight: "600 800", unicodeRange: RANGES[url.includes("latin-ext") ? "latin-ext" : "latin"] }));
  await Promise.allSettled(faces.map(async (face) => document.fonts.add(await face.load())));
}

/** Shrinks the names of each place until they fit, whole words first. */
function fit() {
  for (const names of document.querySelectorAll(".names")) {
    names.style.fontSize = "";
    if (!WIDE.matches) continue;
    const largest = parseFloat(getComputedStyle(names).fontSize);
    const most = parseFloat(getComputedStyle(names).maxHeight);
    names.style.overflowWrap = "normal";
    for (let share = 1; share > LEAST && !isWithin(names, most); share -= 0.04) names.style.fontSize = `${largest * share}px`;
    names.style.overflowWrap = "";
  }
}

const isWithin = (names, most) => names.scrollHeight <= most + 1 && names.scrollWidth <= names.clientWidth + 1;

function throwConfetti() {
  const canvas = document.querySelector("canvas");
  const pen = canvas.getContext("2d");
  const height = (canvas.height = innerHeight);
  canvas.width = innerWidth;
  const colors = COLORS[document.querySelector("main").dataset.side];
  const pieces = Array.from({ length: PIECES }, (_, n) => makePiece(height, colors[n % colors.length]));
  const began = performance.now();
  requestAnimationFrame(function next() {
    const passed = (performance.now() - began) / CONFETTI_MS;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, height);
    if (passed >= 1) return;
    for (const piece of pieces) draw(pen, height, piece, passed);
    requestAnimationFrame(next);
  });
}

function makePiece(height, color) {
  const spins = (Math.random() - 0.5) * 24;
  return { color, spins, x: Math.random() * innerWidth, y: -height * (0.06 + Math.random() * 0.5), size: height * (0.011 + Math.random() * 0.015), falls: 1.6 + Math.random() * 1.3 };
}

function draw(pen, height, { color, spins, x, y, size, falls }, passed) {
  const angle = passed * spins;
  pen.setTransform(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), x + Math.sin(passed * 14 + spins) * size, y + passed * falls * height);
  pen.globalAlpha = Math.min(1, (1 - passed) * 5);
  pen.fillStyle = color;
  pen.fillRect(-size / 2, -size / 4, size, (size / 2) * Math.abs(Math.cos(passed * spins)));
}

await loadFonts();
fit();
addEventListener("resize", fit);
document.addEventListener("refreshed", fit);
if (WIDE.matches && !STILL.matches) throwConfetti();
