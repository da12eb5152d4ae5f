import css from "./later.css?inline";

/** The second part of the page: reveals and ends, proofs and the card, and whoever has no seat. */
export { act, listen } from "./acts";
export { buzz } from "./buzz";
export { overlay } from "./card";
export { away, hindered, tongues, typing, whose } from "./doors";
export { Ledger } from "./ledger";
export { longTime } from "./numbers";
export { told } from "./proofs";
export { corner, moments, next, scene } from "./scene";
export { card, heart, moves, notYet, oneDevice, sentence, stopped } from "./told";

/** One by one: the page's policy lets no other style in. */
const sheet = document.styleSheets[0]!;
for (const rule of css.match(/[^{}]+{(?:[^{}]*{[^{}]*})*[^{}]*}/g) ?? []) sheet.insertRule(rule, sheet.cssRules.length);
