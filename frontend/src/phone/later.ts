import * as acts from "./acts";
import { buzz } from "./buzz";
import { overlay } from "./card";
import * as doors from "./doors";
import { key, refocus } from "./keys";
import { drawn } from "./drawn";
import css from "./later.css?inline";
import { Ledger } from "./ledger";
import { longTime, spoken } from "./numbers";
import type { Second } from "./parts";
import { peek, told } from "./proofs";
import * as scenes from "./scene";
import * as said from "./told";
import { bell, heed } from "./turn";
import type { View } from "./view";

/** The second part of the page: reveals and ends, proofs and the card, and whoever has no seat. */
export const second: Second = { ...said, ...scenes, ...doors, ...acts, next, buzz, drawn, key, overlay, longTime, spoken, peek, told, refocus, Ledger };

/** Asked for with every view that is drawn. */
function next(view: View): ReturnType<Second["next"]> {
  heed(view);
  return scenes.next(view) || bell(view);
}

/** One by one: the page's policy lets no other style in. */
const sheet = document.styleSheets[0]!;
for (const rule of css.match(/[^{}]+{(?:[^{}]*{[^{}]*})*[^{}]*}/g) ?? []) sheet.insertRule(rule, sheet.cssRules.length);
