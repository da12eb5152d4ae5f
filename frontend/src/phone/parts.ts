import type { Ball } from "../live/grid";
import type { Connection } from "../live/socket";
import type { ErrorTold, Match, Side } from "../protocol";
import type { Status } from "./ballot";
import type { Desk } from "./desk";
import type { Html } from "./dom";
import type { Ledger } from "./ledger";
import type { View } from "./view";

/** What there is to be seen besides the ball in hand. */
export interface Scene {
  /** Where not all balls lie there yet. */
  balls?: readonly Ball[];
  falls?: (ball: Ball) => boolean;
  lit?: ((column: number) => Html) | undefined;
  /** In place of the ball in hand. */
  over?: ((column: number) => Html | undefined) | undefined;
  under?: (column: number) => Html | false;
  figures?: Html;
  said?: (column: number) => string | false;
  kind?: (column: number) => string;
  /** Where a vote says more than one column. */
  rank?: ((column: number) => number) | undefined;
  status?: ((column: number) => Status) | undefined;
}

type Shown = Html | false;

/** What the second part of the page has for the first: whatever nobody needs before the first vote. */
export interface Second {
  act: (what: string, desk: Desk) => void;
  listen: (desk: Desk) => void;
  key: (pressed: KeyboardEvent) => void;
  buzz: (ms: number) => void;
  Ledger: typeof Ledger;
  // --- drawn
  scene: (view: View, match: Match) => Scene;
  drawn: (view: View, match: Match) => Html;
  moments: (match: Match) => readonly number[];
  corner: (view: View, match: Match, side: Side) => { picked: string; holds: boolean };
  next: (view: View) => Shown;
  told: (view: View) => Html;
  overlay: (view: View) => Shown;
  /** That the control room sees the votes. */
  peek: Html;
  /** What a keyboard was at is there again. */
  refocus: () => void;
  // --- said
  sentence: (view: View, match: Match | null) => string;
  heart: (view: View, match: Match) => string;
  moves: (view: View) => string;
  longTime: (left: number) => string;
  spoken: (ms: number) => string;
  card: string;
  oneDevice: string;
  // --- without a seat
  away: (code: number) => Html;
  hindered: (error: ErrorTold, connection: Connection, desk: Desk) => Html;
  typing: (desk: Desk) => Html;
  whose: (shown: string) => Html;
  tongues: () => Html;
}
