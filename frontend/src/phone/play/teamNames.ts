import { teamForSide } from "../../live/match/phase";
import { lineCount, nameForms, shortName } from "../../live/teamNames";
import type { EventState, Side } from "../../protocol";
import { shownNotice } from "../../live/notice";
import { html, type Html } from "../dom";
import type { PhoneView } from "../seat/phoneView";
import * as say from "../texts";

const LONGEST_IN_SENTENCE = 16;

/** A team's name, short enough for a sentence. */
export function shortTeamName(event: EventState, side: Side): string {
  return shortName(...bothNames(event, teamForSide(event, side).number), (text) => [...text].length <= LONGEST_IN_SENTENCE);
}

const bothNames = ({ teams }: EventState, team: number): [string, string] => [teams[team - 1]!.name, teams[2 - team]!.name];

/** Font sizes in pixels, the largest first, in a width. */
interface Room {
  sizes: readonly number[];
  weight: number;
  width: number;
  lines: number;
}

const TOKEN_PX = 28;
const MARGINS_PX = 36;
/** Until it is drawn. */
const BUTTON_PX = 80;

/** A team's name below the board, beside its ball and perhaps the token. */
export function cornerName(event: EventState, side: Side, holds: boolean): Html {
  const button = document.querySelector<HTMLElement>(".foot .small")?.offsetWidth ?? BUTTON_PX;
  const width = (innerWidth - MARGINS_PX - button) / 2 - TOKEN_PX * (holds ? 2 : 1);
  const [name, other] = bothNames(event, teamForSide(event, side).number);
  return fitted(name, other, nameForms(name, other), { sizes: [14, 12], weight: 600, width, lines: 2 });
}

/** The name of the voter's team: in full if its words are not too long, or on one line with the organizers' message. */
export function teamHeading({ event, team, match, now }: PhoneView): Html {
  const [name, other] = bothNames(event, team);
  const ground = document.querySelector<HTMLElement>(".ground");
  const clock = ground?.querySelector<HTMLElement>(".clock");
  const beside = clock && getComputedStyle(ground!).flexDirection === "row" ? clock.offsetWidth + 14 : 0;
  const width = (ground?.clientWidth ?? innerWidth) - 32 - beside;
  if (match && shownNotice(event, now)) return fitted(name, other, nameForms(name, other), { sizes: [20, 16], weight: 800, width: width - textWidth(`${say.youAre} `, 16, 600), lines: 1 });
  return fitted(name, other, [name], { sizes: name.length > 18 ? [22, 16] : [28, 22, 16], weight: 800, width, lines: 3 });
}

/** A team's name on its button, as wide as the screen. */
export function buttonName(event: EventState, team: number): Html {
  const [name, other] = bothNames(event, team);
  return fitted(name, other, [name], { sizes: [32, 24, 18], weight: 800, width: innerWidth - 32, lines: 3 });
}

/** The longest of the forms that fits in any size, as large as possible; else a short form in the smallest size. */
function fitted(name: string, other: string, forms: readonly string[], { sizes, weight, width, lines }: Room): Html {
  const fits = (px: number) => (text: string) => lineCount(text, width, (piece) => textWidth(piece, px, weight)) <= lines;
  for (const form of forms) {
    const px = sizes.find((size) => fits(size)(form));
    if (px) return readInFull(form, name, px < sizes[0]! && px);
  }
  const least = sizes[sizes.length - 1]!;
  return readInFull(shortName(name, other, fits(least)), name, least);
}

/** The style sheet sets the usual size. */
function readInFull(text: string, name: string, px: number | false): Html {
  if (text === name && !px) return html`${name}`;
  return html`<bdi ${px && html`css="font-size:${px}px"`} title="${name}" ${text !== name && html`aria-hidden="true"`}>${text}</bdi>${text !== name && html`<span class="hidden">${name}</span>`}`;
}

let pen: CanvasRenderingContext2D | null = null;

function textWidth(text: string, px: number, weight: number): number {
  pen ??= document.createElement("canvas").getContext("2d")!;
  pen.font = `${weight} ${px}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}
