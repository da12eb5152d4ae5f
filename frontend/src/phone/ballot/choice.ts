import { optionName } from "../../board/geometry";
import { DEFAULT_METHOD, MAX_VOTES } from "../../methods";
import type { Match } from "../../protocol";
import * as say from "../texts";
import { countColumn, decodeColumns, encodeRanking, RESIGN } from "./encoding";
import { CONTROLS, type Control } from "./methods";

type Method = Pick<Match, "tally_method"> | null | undefined;

const methodName = (match: Method) => match?.tally_method ?? DEFAULT_METHOD;

/** How the match's ballots of several columns are filled in; undefined if a ballot has one column. */
export const control = (match: Method): Control | undefined => CONTROLS[methodName(match)];

/** The columns of a choice: a ranking in its order, a set from left to right, each column as often as it gets a vote. */
export const choiceColumns = (choice: number | null, match: Method) => decodeColumns(choice, MAX_VOTES[methodName(match)]);

/** What a ballot asks for besides its columns: RESIGN, DRAW, or nothing (0). */
export const request = (choice: number | null) => (choice ?? 0) - ((choice ?? 0) % RESIGN);

export const isResignation = (choice: number | null) => request(choice) === RESIGN;

/** Whether a tap extends the choice (a set, a ranking or a request) instead of replacing it. */
export const extendsChoice = (match: Method, choice: number | null) => !!control(match) || request(choice) > 0;

/** The choice after a tap on a column. The last column cannot be removed. */
export function toggleColumn(choice: number | null, column: number, match: Method): number {
  const { tap, encode = encodeRanking } = control(match) ?? {};
  const after = tap?.(choiceColumns(choice, match), column) ?? [];
  return encode(after.length ? after : [column]) + request(choice);
}

/** The same columns, with the request added instead of another one, or withdrawn. */
export const toggleRequest = (choice: number, asked: number) => (choice % RESIGN) + (request(choice) === asked ? 0 : asked);

/** The columns of a choice as text, by number or by name. A column with several votes is followed by their number. */
export function choiceText(choice: number | null, match: Method, name: (column: number) => number | string = (column) => column): string {
  const columns = choiceColumns(choice, match);
  return [...new Set(columns)].map((column) => name(column) + times(countColumn(columns, column))).join(", ");
}

const times = (count: number) => (count > 1 ? ` ×${count}` : "");

export const choiceName = (match: Pick<Match, "board" | "tally_method">, choice: number) => choiceText(choice, match, (column) => optionName(match.board, column));

/** The number shown on a column of a ballot of several; 0 if there is none. */
export const columnFigure = (match: Method, choice: number | null, column: number) => control(match)?.figure?.(choiceColumns(choice, match), column) ?? 0;

/** A number of votes as text. */
export const votesText = (match: Method, count: number) => (control(match)?.votes ?? say.votes)(count);
