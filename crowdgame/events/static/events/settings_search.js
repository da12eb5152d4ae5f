// Folds the settings that few people change, and filters them as one types. Without it, all are visible.
{
  const all = document.querySelector(".all-settings");
  const find = all.querySelector(".find");
  const [input, status] = [find.querySelector("input"), find.querySelector("[role=status]")];
  const sections = [...all.querySelectorAll(":scope > .panel")];
  const folds = sections.filter((section) => section.matches("details")).map((section) => [section, section.open]);
  const ITEMS = ".clocks, .explained, .game, .field";

  function search() {
    const words = input.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const contains = (element) => words.every((word) => element.textContent.toLocaleLowerCase().includes(word));
    for (const section of sections) {
      const items = [...section.querySelectorAll(ITEMS)].filter((item) => !item.parentElement.closest(ITEMS));
      const title = section.querySelector("h2");
      const titled = title !== null && contains(title);
      for (const item of items) item.hidden = !titled && !contains(item);
      section.hidden = items.every((item) => item.hidden);
    }
    for (const [section, wasOpen] of folds) section.open = words.length > 0 || wasOpen;
    status.textContent = sections.every((section) => section.hidden) ? status.dataset.none : "";
  }

  find.hidden = false;
  all.open = !("folds" in all.dataset);
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
}
