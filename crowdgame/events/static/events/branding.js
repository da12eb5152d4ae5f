// Shows the chosen colors, logo and sponsor line in the samples before they are saved.
const form = document.querySelector(".branding");
const { color_1, color_2, logo, no_logo, brand_line } = form.elements;
const saved = form.querySelector(".samples img").src;

function show() {
  for (const { name, value } of [color_1, color_2]) {
    form.style.setProperty(`--${name}`, value);
    form.style.setProperty(`--ink_${name}`, isBright(value) ? "#000" : "#fff");
  }
  for (const line of form.querySelectorAll("[data-line]")) line.textContent = brand_line.value;
}

/** Whether black text has more contrast on this color than white text, as on phones. */
function isBright(color) {
  const [red, green, blue] = [1, 3, 5].map((start) => (parseInt(color.slice(start, start + 2), 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
}

function showLogo(address) {
  for (const image of form.querySelectorAll(".samples img")) {
    image.hidden = !address;
    image.src = address;
  }
}

form.addEventListener("input", show);
form.addEventListener("change", ({ target }) => {
  if (target === no_logo) showLogo(no_logo.checked ? "" : saved);
  if (target !== logo) return;
  const reader = new FileReader();
  reader.onload = () => showLogo(reader.result);
  if (logo.files[0]) reader.readAsDataURL(logo.files[0]);
  else showLogo(saved);
});
show();
