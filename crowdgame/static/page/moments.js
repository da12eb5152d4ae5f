// Shows times, which the server renders in UTC, in the reader's time zone; again whenever the page was refreshed.
const formats = {
  day: { dateStyle: "medium" },
  short: { dateStyle: "medium", timeStyle: "short" },
  long: { weekday: "long", day: "numeric", month: "long", hour: "numeric", minute: "2-digit" },
};

function showLocally() {
  for (const time of document.querySelectorAll("time[data-moment]")) {
    const format = new Intl.DateTimeFormat(document.documentElement.lang, formats[time.dataset.moment]);
    time.textContent = format.format(new Date(time.dateTime));
  }
}

showLocally();
document.addEventListener("refreshed", showLocally);
