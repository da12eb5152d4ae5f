// Shows the print button of a page, which does nothing without this script.
const button = document.querySelector(".print");
button.hidden = false;
button.addEventListener("click", () => print());
