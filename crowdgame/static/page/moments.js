// Shows times, which the server renders in UTC, in the reader's time zone; again whenever the page was refreshed.
const moment = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: "long", day: "numeric", month: "long", hour: "numeric", minute: "2-digit" });

function showLocally() {
  for (const time of document.querySelectorAll("time[data-moment]")) time.textContent = moment.format(new Date(time.dateTime));
}

showLocally();
document.addEventListener("refreshed", showLocally);
