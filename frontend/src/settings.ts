// Generated from voting/models/ by `manage.py generate_protocol`. Edits here are lost.
import type { Part } from "./protocol";

/** The buttons that hide and show parts of the projector. */
export const PART_BUTTONS: { readonly [part in Part]: string } = {"code": "Code", "turnout": "Turnout", "tally": "Votes", "drops": "Drops", "sound": "Sound"};
