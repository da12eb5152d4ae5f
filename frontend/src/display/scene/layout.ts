/** The stage is 1080 units high on every screen; its width follows the screen's aspect ratio. */
export const HEIGHT = 1080;
export const DECK = 88;
export const FLOOR = 1000;
export const NARROWEST = 4 / 3;

const CABINET = 776;
const WIDEST_SHARE = 0.56;
export const REVEAL_SCALE = 0.84;
/** Scale of the board in an open vote, which leaves room for bars under the clock. */
export const OPEN_VOTE_SCALE = 0.7;

/**
 * Height of the water's surface when nobody and when everybody has voted. At high tide its number still leaves room for
 * the seal.
 */
export const LOW_TIDE = 850;
export const HIGH_TIDE = 464;

export interface StageSize {
  width: number;
  unit: number;
}

export function stageSize(width: number, height: number): StageSize {
  const unit = Math.min(height, width / NARROWEST) / HEIGHT;
  return { width: width / unit, unit };
}

/** Stage units per board unit. */
export function cabinetScale(stageWidth: number, lift: number, cabinet: { width: number; height: number }): number {
  return Math.min((CABINET - lift) / cabinet.height, (stageWidth * WIDEST_SHARE) / cabinet.width);
}

/** `lift`: how much higher than usual the stage's bottom edge is. */
export function waterline(level: number, lift = 0): number {
  const low = LOW_TIDE - lift;
  return low - (low - HIGH_TIDE) * Math.min(1, Math.max(0, level));
}

const GLYPH = 0.47;

/** The organizer's message takes up to two lines above the footer; with three it replaces the footer. */
const NOTICE = { type: 56, line: 62, margins: 20, beside: 92, glyph: 0.43 };
const MOST_LINES = 3;
const IN_LOBBY = { foot: 172, beside: 112 };

export interface FootLayout {
  /** Lines of the organizer's message; 0 without one. */
  lines: number;
  plank: number;
  /** The footer height left for everything else. */
  line: number;
}

export function footLayout(notice: string, stageWidth: number, lobby: boolean): FootLayout {
  const needs = Math.ceil((textWidth(notice) * NOTICE.glyph * NOTICE.type) / (stageWidth - NOTICE.beside));
  const lines = Math.min(MOST_LINES, needs);
  const plank = lines ? lines * NOTICE.line + NOTICE.margins : 0;
  if (lobby) return { lines, plank, line: lines ? IN_LOBBY.beside : IN_LOBBY.foot };
  return { lines, plank, line: lines < MOST_LINES ? DECK : 0 };
}

/** How much higher than usual the stage begins. */
export function stageLift({ plank, line }: FootLayout, lobby: boolean): number {
  return plank + line - (lobby ? IN_LOBBY.foot : DECK);
}

const NUMERAL = 0.53;

/** The font size for a number, which is never wrapped. */
export function fitNumber(text: string, width: number, largest: number): number {
  return Math.min(largest, width / (text.length * NUMERAL));
}

const NAME_LEAST = 54.5;

/** The font size for a team's name on one line, or wrapped at the smallest size readable from afar. */
export function fitName(name: string, width: number, largest: number): number {
  const longest = Math.max(...name.split(/\s+/).map(textWidth));
  return Math.max(NAME_LEAST, Math.min(fitFontSize(name, width, largest, NAME_LEAST), width / (longest * GLYPH)));
}

/** The largest font size up to `largest`, but at least `least`, at which `text` fits a line of `width`. */
export function fitFontSize(text: string, width: number, largest: number, least: number): number {
  return Math.max(least, Math.min(largest, width / (Math.max(1, textWidth(text)) * GLYPH)));
}

const FIRST_WIDE = 0x1100;

/** In characters of a condensed font: a Chinese, Japanese or Korean character counts as two. */
function textWidth(text: string): number {
  return [...text].reduce((length, char) => length + (char.codePointAt(0)! < FIRST_WIDE ? 1 : 2.1), 0);
}
