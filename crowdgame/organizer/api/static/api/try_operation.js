// Sends an operation of the API with the token that was entered, and shows the answer.
import { fetchInTime } from "../page/network.js";

const MAX_SHOWN = 20_000;
const token = document.getElementById("token");

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-path]");
  if (!form) return;
  event.preventDefault();
  const shown = form.querySelector("pre");
  shown.hidden = false;
  shown.textContent = "…";
  shown.textContent = await send(form).catch((error) => String(error));
});

async function send(form) {
  const { method, path } = form.dataset;
  const { body, ...parts } = Object.fromEntries(new FormData(form));
  const names = Object.keys(parts);
  const filled = names.reduce((all, name) => all.replace(`{${name}}`, encodeURIComponent(parts[name].trim())), path);
  const query = new URLSearchParams(names.filter((name) => parts[name] && !path.includes(`{${name}}`)).map((name) => [name, parts[name]]));
  const headers = { Authorization: `Bearer ${token.value.trim()}` };
  const answer = await fetchInTime(`${filled}?${query}`, { method, body, headers, credentials: "omit" });
  const isText = answer.headers.get("Content-Type").includes("json");
  const content = isText ? JSON.stringify(await answer.json(), null, 2) : `${(await answer.arrayBuffer()).byteLength} bytes`;
  return `${answer.status} ${answer.statusText}\n${content.slice(0, MAX_SHOWN)}`;
}
