part => {
  for (const kind of ["pointerdown", "pointerup"])
    part.dispatchEvent(new PointerEvent(kind, {bubbles: true}));
  part.click();
}
