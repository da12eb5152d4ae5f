() => {
  const named = ["aria-label", "alt", "title", "placeholder"];
  const labels = [...document.querySelectorAll("[aria-label], [alt], [title], [placeholder]")]
    .filter((part) => !part.closest(".languages") && part.checkVisibility())
    .flatMap((part) => named.map((name) => part.getAttribute(name)));
  return [document.title, ...document.body.innerText.split("\n"), ...labels]
    .map((line) => line?.trim()).filter(Boolean);
}
