import * as actions from "./acts";
import { vibrate } from "./buzz";
import { overlay } from "./card";
import * as doors from "./doors";
import { handleKey, refocus } from "./keys";
import { drawnBoard } from "./drawn";
import css from "./later.css?inline";
import { VoteLedger } from "./ledger";
import { formatLongTime, formatDuration } from "./numbers";
import type { DeferredPart } from "./parts";
import { peek, groundNotices } from "./proofs";
import * as layers from "./scene";
import * as sentences from "./told";
import { notifyButton, updateTitle } from "./turn";
import type { PhoneView } from "./view";

/** The second part of the page: reveals and ends, proofs and the card, and whoever has no seat. */
export const deferred: DeferredPart = { ...sentences, ...layers, ...doors, ...actions, nextLine, vibrate, drawnBoard, handleKey, overlay, formatLongTime, formatDuration, peek, groundNotices, refocus, VoteLedger };

/** Asked for with every view that is drawn. */
function nextLine(view: PhoneView): ReturnType<DeferredPart["nextLine"]> {
  updateTitle(view);
  return layers.nextLine(view) || notifyButton(view);
}

/** One by one: the page's policy lets no other style in. */
const sheet = document.styleSheets[0]!;
for (const rule of css.match(/[^{}]+{(?:[^{}]*{[^{}]*})*[^{}]*}/g) ?? []) sheet.insertRule(rule, sheet.cssRules.length);
