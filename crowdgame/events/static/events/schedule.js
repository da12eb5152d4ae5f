// Shows the times, which the server renders in UTC, in the browser's time zone, and submits that with them.
const form = document.querySelector("[data-schedule]");
const zone = form.elements.time_zone;
if (!zone.value) {
  zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
  for (const input of form.querySelectorAll("[type=datetime-local], [name^=initial-]")) {
    if (!input.value) continue;
    const at = new Date(`${input.value}Z`);
    input.value = new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }
}
document.querySelector("[data-zone]").textContent = zone.value.replaceAll("_", " ");
