const pen = document.createElement("canvas").getContext("2d");
const FONT_PX = 100;

/** The width of a name in the display's font, relative to the font size. */
export function measureName(text: string): number {
  if (!pen) return text.length;
  pen.font = `800 ${FONT_PX}px "Barlow Condensed", "Arial Narrow", sans-serif`;
  return pen.measureText(text).width / FONT_PX;
}
