import type { PlacedBall } from "../live/match/grid";
import type { Connection } from "../live/connection/connect";
import type { Error, EventState, Match, Side } from "../protocol";
import type { BallotStatus } from "./ballot/ballot";
import type { PhoneScreen } from "./phoneScreen";
import type { Html } from "./dom";
import type { VoteLedger } from "./receipts/voteLedger";
import type { PhoneView } from "./seat/phoneView";

/** What a board shows besides the ball of the voter's choice. */
export interface BoardLayers {
  /** If not all balls have landed yet. */
  balls?: readonly PlacedBall[];
  falls?: (ball: PlacedBall) => boolean;
  lit?: ((column: number) => Html) | undefined;
  /** Shown instead of the ball of the voter's choice. */
  over?: ((column: number) => Html | undefined) | undefined;
  under?: (column: number) => Html | false;
  figures?: Html;
  votesLabel?: (column: number) => string | false;
  kind?: (column: number) => string;
  /** The number on a column, for a vote of more than one column. */
  figure?: ((column: number) => number) | undefined;
  status?: ((column: number) => BallotStatus) | undefined;
}

type Shown = Html | false;

/** The interface of the deferred bundle: everything not needed before the first vote. */
export interface DeferredPart {
  runAction: (what: string, screen: PhoneScreen) => void;
  addListeners: (screen: PhoneScreen) => void;
  handleKey: (pressed: KeyboardEvent) => void;
  vibrate: (ms: number) => void;
  VoteLedger: typeof VoteLedger;
  // --- drawing
  boardLayers: (view: PhoneView, match: Match) => BoardLayers;
  drawnBoard: (view: PhoneView, match: Match) => Html;
  moments: (event: EventState) => readonly number[];
  corner: (view: PhoneView, match: Match, side: Side) => { picked: string; name: Html | string; holds: boolean };
  /** The name of the voter's team. */
  teamHeading: (view: PhoneView) => Html;
  /** What is below the board, and its height in pixels. */
  below: (view: PhoneView) => readonly [height: number, Html];
  groundNotices: (view: PhoneView) => Html;
  overlay: (view: PhoneView) => Shown;
  /** Restores the keyboard focus. */
  refocus: () => void;
  // --- texts
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
