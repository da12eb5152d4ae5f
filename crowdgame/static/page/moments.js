// Shows times, which the server renders in UTC, in the reader's time zone; again whenever the page was refreshed.
const styles = {
  day: { dateStyle: "medium" },
  short: { dateStyle: "medium", timeStyle: "short" },
  long: { weekday: "long", day: "numeric", month: "long", hour: "numeric", minute: "2-digit" },
};
const formats = Object.fromEntries(
  Object.entries(styles).map(([name, style]) => [name, new Intl.DateTimeFormat(document.documentElement.lang, style)]),
);

function showLocally() {
  for (const time of document.querySelectorAll("time[data-moment]")) {
    time.textContent = formats[time.dataset.moment].format(new Date(time.dateTime));
  }
}

showLocally();
document.addEventListener("refreshed", showLocally);
