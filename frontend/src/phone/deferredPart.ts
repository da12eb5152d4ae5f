import type { PlacedBall } from "../live/match/grid";
import type { Connection } from "../live/connection/socket";
import type { Error, Match, Side } from "../protocol";
import type { BallotStatus } from "./ballot/ballot";
import type { PhoneScreen } from "./phoneScreen";
import type { Html } from "./dom";
import type { VoteLedger } from "./receipts/voteLedger";
import type { PhoneView } from "./seat/phoneView";

/** What there is to be seen besides the ball in hand. */
export interface BoardLayers {
  /** Where not all balls lie there yet. */
  balls?: readonly PlacedBall[];
  falls?: (ball: PlacedBall) => boolean;
  lit?: ((column: number) => Html) | undefined;
  /** In place of the ball in hand. */
  over?: ((column: number) => Html | undefined) | undefined;
  under?: (column: number) => Html | false;
  figures?: Html;
  votesLabel?: (column: number) => string | false;
  kind?: (column: number) => string;
  /** Where a vote says more than one column. */
  rank?: ((column: number) => number) | undefined;
  status?: ((column: number) => BallotStatus) | undefined;
}

type Shown = Html | false;

/** What the second part of the page has for the first: whatever nobody needs before the first vote. */
export interface DeferredPart {
  runAction: (what: string, screen: PhoneScreen) => void;
  addListeners: (screen: PhoneScreen) => void;
  handleKey: (pressed: KeyboardEvent) => void;
  vibrate: (ms: number) => void;
  VoteLedger: typeof VoteLedger;
  // --- drawn
  boardLayers: (view: PhoneView, match: Match) => BoardLayers;
  drawnBoard: (view: PhoneView, match: Match) => Html;
  moments: (match: Match) => readonly number[];
  corner: (view: PhoneView, match: Match, side: Side) => { picked: string; holds: boolean };
  nextLine: (view: PhoneView) => Shown;
  groundNotices: (view: PhoneView) => Html;
  overlay: (view: PhoneView) => Shown;
  /** That the control room sees the votes. */
  peek: Html;
  /** What a keyboard was at is there again. */
  refocus: () => void;
  // --- said
  sentence: (view: PhoneView, match: Match | null) => string;
  shapeText: (view: PhoneView, match: Match) => string;
  movesText: (view: PhoneView) => string;
  formatLongTime: (left: number) => string;
  formatDuration: (ms: number) => string;
  card: string;
  oneDevice: string;
  // --- without a seat
  closedScreen: (code: number) => Html;
  blockedScreen: (error: Error, connection: Connection, screen: PhoneScreen) => Html;
  codeScreen: (screen: PhoneScreen) => Html;
  seatChoice: (shown: string) => Html;
  localePicker: () => Html;
}
