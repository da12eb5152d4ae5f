(clock) => {
  const {fontWeight, fontSize, fontFamily} = getComputedStyle(clock);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  return pen.measureText("8").actualBoundingBoxAscent / innerHeight;
}
