import { MAX_VOTES } from "../../methods";
import type { TallyMethod } from "../../protocol";
import * as say from "../texts";
import { countColumn, encodeRanking, encodeSet } from "./encoding";

/** How a phone fills in a ballot of several columns. */
export interface Control {
  /** The columns after a tap on one of them. An empty ballot becomes one for that column. */
  tap: (columns: readonly number[], column: number) => readonly number[];
  encode: (columns: readonly number[]) => number;
  /** What to do, and what to do next. */
  invitation: string;
  counted: (columns: string) => string;
  /** The number from 1 to 5 shown on a column instead of a tick; 0 for a tick. */
  figure?: (columns: readonly number[], column: number) => number;
  figureLabel?: (figure: number) => string;
  /** Names what the counts consist of, if not votes. */
  votes?: (count: number) => string;
}

const MAX_RANKED = 3;

const without = (columns: readonly number[], column: number) => columns.filter((other) => other !== column);

/** The controls of voting methods with several columns. Otherwise the next tap replaces the column. */
export const CONTROLS: { readonly [method in TallyMethod]?: Control } = {
  approval: {
    tap: (columns, column) => (columns.includes(column) ? without(columns, column) : [...columns, column]),
    encode: (columns) => encodeSet(columns, MAX_VOTES.approval),
    invitation: say.chooseAll,
    counted: say.countedSeveral,
  },
  instant_runoff: {
    tap: (columns, column) => (columns.includes(column) ? without(columns, column) : [...columns.slice(0, MAX_RANKED - 1), column]),
    encode: encodeRanking,
    invitation: say.rankUp,
    counted: say.countedSeveral,
    figure: (columns, column) => columns.indexOf(column) + 1,
    figureLabel: say.inPlace,
  },
  score: {
    tap: (columns, column) => (countColumn(columns, column) < MAX_VOTES.score ? [...columns, column] : without(columns, column)),
    encode: (columns) => encodeSet(columns, MAX_VOTES.score),
    invitation: say.givePoints,
    counted: say.countedPoints,
    figure: countColumn,
    figureLabel: say.youGave,
    votes: say.scored,
  },
};
