() => {
  document.querySelector("[data-current]").dataset.current = "outdated";
  document.dispatchEvent(new Event("outdated"));
}
