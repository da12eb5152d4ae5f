() => {
  const seen = (part) => {
    const {outlineStyle, outlineWidth, boxShadow} = getComputedStyle(part);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none";
  };
  const here = document.activeElement;
  return seen(here) || [...here.querySelectorAll("*"), here.parentElement, ...(here.labels ?? [])].some(seen);
}
