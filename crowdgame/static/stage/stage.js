// Stage client: asks what to show, loads it in a frame in the background, and fades from the old frame to the new one.
// Without an answer, the picture stays.

import { fetchInTime, onWake } from "../page/network.js";

const POLL_MS = 1_500;
const LOOK_MS = 150;
const GIVE_UP_MS = 12_000;
const FADE_MS = 1_000;
const { code, title } = document.body.dataset;
const key = readKey();
let shown = { id: "", frame: null };
let coming = { id: "", frame: null };

/** The key is kept for this tab, so that reloading works, and removed from the address bar, which people may photograph. */
function readKey() {
  const name = `crowdgame:${code}:stage`;
  addEventListener("hashchange", () => location.reload());
  const given = location.hash.slice(1);
  try {
    if (given) sessionStorage.setItem(name, given);
    if (given) history.replaceState(null, "", location.pathname + location.search);
    return sessionStorage.getItem(name);
  } catch {
    return given; // storage is disabled
  }
}

async function ask() {
  const answer = await fetchInTime(`/stage/${code}/now`, { cache: "no-cache", headers: key ? { "Stage-Key": key } : {} });
  if (answer.status === 403) refuse();
  if (!answer.ok) return;
  const program = await answer.json();
  showReport(program.report);
  const id = `${program.path}#${program.key ?? ""}`;
  if (id === shown.id && shown.frame.contentDocument) dismiss(); // a page that failed to reload has no document
  else if (id !== coming.id) bring(id, program);
}

/** Closes the pages of a stage that was opened with an old link. */
function refuse() {
  for (const frame of document.querySelectorAll("iframe")) frame.remove();
  shown = coming = { id: "", frame: null };
  showReport(null);
  document.querySelector(".refused").hidden = false;
}

function showReport(report) {
  const part = document.querySelector(".report");
  part.hidden = !report;
  document.body.dataset.result = shown.frame?.contentDocument?.body?.dataset.result ?? "";
  if (!report) return;
  part.querySelector("span").textContent = report.address;
  part.querySelector("svg").setAttribute("viewBox", `-3 -3 ${report.size + 6} ${report.size + 6}`);
  part.querySelector("path").setAttribute("d", report.qr);
}

function bring(id, { page, path, key }) {
  dismiss();
  const frame = document.createElement("iframe");
  frame.className = page;
  frame.title = title;
  frame.allow = "autoplay; fullscreen; screen-wake-lock";
  frame.setAttribute("scrolling", "no");
  frame.src = page === "display" ? path + location.search + (key ? `#${key}` : "") : path;
  document.body.append(frame);
  coming = { id, frame };
  awaitPicture(frame, page, performance.now() + GIVE_UP_MS);
}

/** Gives up on the frame that is being loaded. */
function dismiss() {
  coming.frame?.remove();
  coming = { id: "", frame: null };
}

function awaitPicture(frame, page, until) {
  if (coming.frame !== frame) return;
  if (hasPicture(frame, page)) show(frame, page);
  else if (performance.now() > until) dismiss();
  else setTimeout(awaitPicture, LOOK_MS, frame, page, until);
}

function hasPicture({ contentDocument }, page) {
  if (contentDocument?.readyState !== "complete" || contentDocument.URL === "about:blank") return false;
  return page !== "display" || !["lost", undefined].includes(contentDocument.body.dataset.phase);
}

function show(frame, page) {
  const old = shown.frame;
  shown = coming;
  coming = { id: "", frame: null };
  frame.classList.add("on");
  document.body.dataset.page = page;
  setTimeout(() => old?.remove(), FADE_MS);
  if (page === "display") frame.contentWindow.focus();
  else window.focus();
}

function toggleFullscreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => undefined);
}

function keepScreenAwake() {
  if (!document.hidden) navigator.wakeLock?.request("screen").catch(() => undefined);
}

const askNow = () => ask().catch(() => undefined);

async function follow() {
  await askNow();
  setTimeout(follow, POLL_MS);
}

addEventListener("keydown", (event) => {
  if (event.key.toUpperCase() === "F" && !(event.repeat || event.ctrlKey || event.metaKey || event.altKey)) toggleFullscreen();
});
document.addEventListener("visibilitychange", keepScreenAwake);
keepScreenAwake();
onWake(askNow);
follow();
