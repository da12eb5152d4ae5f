// Fills in the seat token that the phone page stored in this browser, and the time zone.
const form = document.querySelector("form[data-code]");
form.elements.seat.value = localStorage.getItem(`crowdgame:${form.dataset.code}`) ?? "";
form.elements.time_zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
