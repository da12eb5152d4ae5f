/** The stage is 1080 units high on every screen; its width follows the screen's aspect ratio. */
export const HEIGHT = 1080;
export const FOOTER_HEIGHT = 88;
export const FLOOR = 1000;
export const NARROWEST = 4 / 3;

const MAX_BOARD_HEIGHT = 776;
const WIDEST_SHARE = 0.56;
export const REVEAL_SCALE = 0.84;
/** The sentence about a turn takes up to two lines in the footer, below the winning chances. */
const JUDGMENT = { chances: 72, type: 56, line: 60 };
/** Scale of the board in an open vote, which leaves room for bars under the clock; `least` keeps its numbers readable. */
const OPEN_VOTE = { scale: 0.7, least: 0.74 };

/**
 * The top of a turnout bar when nobody and when everybody has voted. A full bar's number still leaves room for the
 * seal.
 */
export const NO_TURNOUT_Y = 850;
export const FULL_TURNOUT_Y = 464;

export interface StageSize {
  width: number;
  unit: number;
}

export function stageSize(width: number, height: number): StageSize {
  const unit = Math.min(height, width / NARROWEST) / HEIGHT;
  return { width: width / unit, unit };
}

/** Stage units per board unit. */
export function boardScale(stageWidth: number, lift: number, board: { width: number; height: number }): number {
  return Math.min((MAX_BOARD_HEIGHT - lift) / board.height, (stageWidth * WIDEST_SHARE) / board.width);
}

/** The top of a turnout bar. `lift`: how much higher than usual the stage's bottom edge is. */
export function turnoutY(level: number, lift = 0): number {
  const low = NO_TURNOUT_Y - lift;
  return low - (low - FULL_TURNOUT_Y) * Math.min(1, Math.max(0, level));
}

/** The board's scale in an open vote, for its scale `full` in other windows. */
export function openVoteScale(full: number): number {
  return Math.max(OPEN_VOTE.least, full * OPEN_VOTE.scale);
}

const GLYPH = 0.47;

/** Half of the space between the team headers: for seconds, or for a word. */
export const BESIDE_CLOCK = { narrow: 190, wide: 300 };

/** The organizer's message takes up to two lines above the footer; with three it replaces the footer. */
const NOTICE = { type: 56, line: 62, margins: 20, beside: 92, glyph: 0.43 };
const MOST_LINES = 3;
const IN_LOBBY = { foot: 172, beside: 112 };

export interface FooterLayout {
  /** Lines of the organizer's message; 0 without one. */
  lines: number;
  noticeHeight: number;
  /** The footer height left for everything else. */
  footerHeight: number;
}

export function footerLayout(notice: string, stageWidth: number, lobby: boolean, judgmentLines = 0): FooterLayout {
  const needs = Math.ceil((textWidth(notice) * NOTICE.glyph * NOTICE.type) / (stageWidth - NOTICE.beside));
  const lines = Math.min(MOST_LINES, needs);
  const noticeHeight = lines ? lines * NOTICE.line + NOTICE.margins : 0;
  if (lobby) return { lines, noticeHeight, footerHeight: lines ? IN_LOBBY.beside : IN_LOBBY.foot };
  return { lines, noticeHeight, footerHeight: lines < MOST_LINES ? FOOTER_HEIGHT + judgmentHeight(judgmentLines) : 0 };
}

/** The lines of the sentence about a turn. */
export function judgmentLines(text: string, width: number): number {
  return Math.min(2, Math.ceil((textWidth(text) * GLYPH * JUDGMENT.type) / width));
}

function judgmentHeight(lines: number): number {
  return lines && JUDGMENT.chances + (lines - 1) * JUDGMENT.line;
}

/** How much higher than usual the stage begins. */
export function stageLift({ noticeHeight, footerHeight }: FooterLayout, lobby: boolean): number {
  return noticeHeight + footerHeight - (lobby ? IN_LOBBY.foot : FOOTER_HEIGHT);
}

const NUMERAL = 0.53;

/** The font size for a number, which is never wrapped. */
export function fitNumber(text: string, width: number, largest: number): number {
  return Math.min(largest, width / (text.length * NUMERAL));
}

/** The smallest size of a team's name that is readable from afar. */
export const NAME_LEAST = 54.5;

/** The font size for a text on two lines. */
export function fitTwoLines(text: string, width: number, largest: number, least: number): number {
  return Math.max(least, Math.min(largest, width / (Math.max(longestWord(text), textWidth(text) * 0.6) * GLYPH)));
}

function longestWord(text: string): number {
  return Math.max(...text.split(/\s+/).map(textWidth));
}

/** The largest font size up to `largest`, but at least `least`, at which `text` fits a line of `width`. */
export function fitFontSize(text: string, width: number, largest: number, least: number): number {
  return Math.max(least, Math.min(largest, width / (Math.max(1, textWidth(text)) * GLYPH)));
}

/** In characters of a condensed font, which fonts for other scripts are not. */
function textWidth(text: string): number {
  return [...text].reduce((length, char) => length + charWidth(char), 0);
}

const FIRST_WIDE = 0x1100;
const ARABIC = /\p{Script=Arabic}/u;
const MARK = /\p{Mark}/u;

function charWidth(char: string): number {
  if (MARK.test(char)) return 0;
  if (ARABIC.test(char)) return 1.25;
  return char.codePointAt(0)! < FIRST_WIDE ? 1 : 2.1;
}
