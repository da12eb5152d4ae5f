// Generated from voting/models/ by `manage.py generate_protocol`. Edits here are lost.
import { p } from "./live/i18n";
import type { Part } from "./protocol";

/** The buttons that hide and show parts of the projector. */
export const PART_BUTTONS: { readonly [part in Part]: string } = { code: p("part of the big screen", "Code"), turnout: p("part of the big screen", "Turnout"), tally: p("part of the big screen", "Votes"), drops: p("part of the big screen", "Marks of drops"), sound: p("part of the big screen", "Sound"), hints: p("part of the big screen", "Hints"), recognition: p("part of the big screen", "Streaks"), judges: p("part of the big screen", "Best judges") };
