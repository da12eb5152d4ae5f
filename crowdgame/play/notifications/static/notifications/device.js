// Turns push notifications on this device on and off. Each event has its own registration of the service worker, and
// with it a push subscription. No page is in their scopes.
import { fetchInTime } from "../page/network.js";

const panel = document.querySelector("form[data-push-key]");
const { pushKey, scope, seat, worker } = panel.dataset;

function show(state, text = "") {
  for (const part of document.querySelectorAll("[data-when]")) {
    part.hidden = !part.dataset.when.split(" ").includes(state);
    if (part.dataset.when === "refused") part.textContent = text;
  }
  panel.hidden = state === "unsupported";
}

const findRegistration = () => navigator.serviceWorker.getRegistration(scope);

function post(subscription, more = {}) {
  const { endpoint, keys } = subscription.toJSON();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const values = { endpoint, ...keys, application_key: pushKey, seat: localStorage.getItem(seat) ?? "", time_zone: timeZone ?? "", ...more };
  const body = new FormData(panel);
  for (const [name, value] of Object.entries(values)) body.set(name, value);
  return fetchInTime(panel.action, { method: "POST", body });
}

async function save(subscription) {
  const answer = await post(subscription);
  if (answer.ok) return show("on");
  if (answer.status < 500) await (await findRegistration()).unregister();
  const reason = answer.status === 400 ? await answer.text() : "";
  show(reason ? "refused" : "failed", reason);
}

function whenActive({ active, installing, waiting }) {
  const starting = installing ?? waiting;
  return active || new Promise((done) => starting.addEventListener("statechange", () => starting.state === "activated" && done()));
}

async function turnOn() {
  const permission = await Notification.requestPermission();
  if (permission !== "granted") return show(permission === "denied" ? "denied" : "off");
  await (await findRegistration())?.unregister(); // with a subscription for an earlier key
  const registration = await navigator.serviceWorker.register(worker, { scope });
  await whenActive(registration);
  await save(await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey }));
}

async function turnOff() {
  const registration = await findRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  if (subscription) await post(subscription, { stop: 1 }).catch(() => {}); // the push service reports it, too
  await registration?.unregister();
  show("off");
}

function isCurrent({ options }) {
  const key = btoa(String.fromCharCode(...new Uint8Array(options.applicationServerKey)));
  return key.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") === pushKey;
}

async function start() {
  if (!isSecureContext || !navigator.serviceWorker || !window.PushManager || !window.Notification) return show("unsupported");
  if (Notification.permission === "denied") return show("denied");
  const subscription = await (await findRegistration())?.pushManager.getSubscription();
  if (subscription && isCurrent(subscription)) await save(subscription);
  else show("off");
}

panel.addEventListener("submit", async (event) => {
  event.preventDefault();
  event.submitter.disabled = true;
  await (event.submitter.value === "stop" ? turnOff() : turnOn()).catch(() => show("failed"));
  event.submitter.disabled = false;
});
start().catch(() => show("failed"));
