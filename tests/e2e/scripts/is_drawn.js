// Whether anything is drawn on the page's canvas.
() => {
  const {width, height} = document.querySelector("canvas");
  const pen = document.querySelector("canvas").getContext("2d");
  return width > 0 && pen.getImageData(0, 0, width, height).data.some(Boolean);
}
