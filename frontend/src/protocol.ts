// Generated from voting/protocol/ by `manage.py generate_protocol`. Edits here are lost.

export type Side = "red" | "yellow";
export type Result = "red" | "yellow" | "draw" | "open";
export type Vote = "concealed" | "open";
export type TallyMethod = "plurality" | "approval" | "lottery" | "instant_runoff" | "score";
export type Deciding = "plurality" | "approval" | "lottery" | "runoff" | "score" | "first" | "lot" | "captain" | "random" | "pass" | "forfeit" | "resign";
export type Admission = "open" | "rotating" | "tickets" | "roster";
export type Pace = "instant" | "brisk" | "normal" | "dramatic";
export type TieRule = "first" | "lot" | "captain";
export type NoBallotRule = "random" | "pass" | "forfeit";
export type ResignShare = "half" | "two_thirds" | "three_quarters" | "all";
export type AnalysisTime = "off" | "match" | "turn";
export type Nicknames = "off" | "suggested" | "typed";
export type SpecialRule = "secret_sides" | "single_selector" | "captains" | "resigning" | "time_banks";
export type Ending = "board" | "forfeit" | "time" | "resign" | "deserted" | "conceded" | "agreed";
export type OfferKind = "draw" | "takeback";
export type EndReason = "line" | "holder" | "other" | "full" | "game" | "forfeit" | "time" | "resign" | "deserted" | "conceded" | "agreed";
export type Part = "code" | "turnout" | "tally" | "drops" | "sound" | "hints" | "recognition" | "judges";
export type DuelAction = "resign" | "abort" | "draw" | "takeback" | "decline";
export type Quality = "best" | "good" | "inaccuracy" | "mistake" | "blunder";
export type SideRefusal = "not_offered" | "no_such_turn" | "window_open" | "used_up" | "same_side" | "busy";
export type DuelRefusal = "not_possible" | "turn_changed" | "too_soon" | "busy";
export type DropAnswer = "waiting" | "shown" | "full" | "unavailable";
export type Refusal = "early" | "late" | "unknown" | "stale" | "no_such_turn" | "not_to_move" | "illegal" | "busy";
export type ErrorCode = "malformed" | "not_joined" | "joined_already" | "team_needed" | "joining_locked" | "lobby_closed" | "key_needed" | "key_wrong" | "key_used" | "hands_only";
export type Role = "owner" | "cohost" | "viewer";

export interface PhoneJoin {
  type: "phone.join";
  code: string;
  token?: string | null;
  team?: number | null;
  key?: string | null;
  offer?: string | null;
  removed?: boolean;
}

export interface BallotCast {
  type: "ballot.cast";
  turn: number;
  epoch: number;
  choice: number;
  sequence: number;
  blind?: string | null;
}

export interface ReceiptAsk {
  type: "receipt.ask";
  turn: number;
}

export interface DropShow {
  type: "drop.show";
  turn: number;
}

export interface SideChangeAsk {
  type: "side.change";
  turn: number;
  number: number;
  team: number;
  blind?: string | null;
}

export interface CheerSend {
  type: "cheer.send";
  presses: number;
}

export interface RematchAsk {
  type: "rematch.ask";
}

export interface DuelAsk {
  type: "duel.ask";
  action: DuelAction;
  turn: number;
}

export interface NicknameAsk {
  type: "nickname.ask";
  name?: string | null;
  language?: string;
}

export interface ClockAsk {
  type: "clock.ask";
  sent: number;
}

export interface DisplayJoin {
  type: "display.join";
  code: string;
  key?: string | null;
  preview?: boolean;
}

export interface ConsoleJoin {
  type: "console.join";
  code: string;
}

export interface ActionAsk {
  type: "action.ask";
  id: number;
  action: string;
  turn?: number | null;
  seconds?: number | null;
  phones?: number | null;
  text?: string | null;
  part?: Part | null;
  team?: number | null;
  hands?: ReadonlyArray<number> | null;
  voter_code?: string | null;
  successor?: string | null;
}

export interface ActionUndo {
  type: "action.undo";
  id: number;
  entry: number;
}

export interface PeopleAsk {
  type: "people.ask";
  id?: number;
  query?: string;
  team?: number | null;
  voted?: boolean | null;
  after?: string;
}

export interface ChatJoin {
  type: "chat.join";
  key: string;
  seq?: number;
}

export interface SuggestionSend {
  type: "suggestion.send";
  text: string;
  choice?: number | null;
  language?: string;
}

export interface SuggestionMark {
  type: "suggestion.mark";
  id: number;
  mark: "agree" | "report" | "withdraw";
}

export interface Team {
  number: number;
  name: string;
  source: string;
  is_public: boolean;
  captain: string;
  solo: boolean;
  color: string;
}

export interface Mark {
  name: string;
  kind: "ball" | "block" | "card" | "path" | "text";
  x: number;
  y: number;
  width: number;
  height: number;
  side: Side | null;
  text: string;
  points: ReadonlyArray<readonly [number, number]>;
  lit: boolean;
  gone: boolean;
}

export interface Drawing {
  width: number;
  height: number;
  marks: ReadonlyArray<Mark>;
  words: string;
}

export interface Board {
  kind: "columns" | "drawn";
  columns: number;
  rows: number;
  grid: ReadonlyArray<string>;
  token: Side | null;
  winning_cells: ReadonlyArray<readonly [number, number]>;
  losing_cells: ReadonlyArray<readonly [number, number]>;
  choices: ReadonlyArray<string>;
  drawing: Drawing | null;
  vote: Vote | null;
}

export interface Legal {
  red: ReadonlyArray<number>;
  yellow: ReadonlyArray<number>;
}

export interface Turn {
  id: number;
  number: number;
  opens_at: number;
  closes_at: number;
  epoch: number;
  paused: boolean;
  left_ms: number;
  to_move: ReadonlyArray<Side>;
  legal: Legal;
  lot: string | null;
  talk_ms: number;
  idle: boolean;
  draw_offered_by: Side | null;
}

export interface SideTally {
  counts: ReadonlyArray<number>;
  ballots: number;
  pick: number | null;
  decided_by: Deciding | null;
  root: string | null;
  rounds: ReadonlyArray<ReadonlyArray<number>> | null;
  resigning: number;
  draw_votes: number;
}

export interface Drop {
  side: Side;
  column: number;
  row: number | null;
}

export interface Resolution {
  drops: ReadonlyArray<Drop>;
  conflict: number | null;
  token_before: Side | null;
  token_after: Side | null;
  lines: ReadonlyArray<ReadonlyArray<readonly [number, number]>>;
  losing_lines: ReadonlyArray<ReadonlyArray<readonly [number, number]>>;
  double_win: boolean;
  block: Drop | null;
  result: Result;
  sentences: ReadonlyArray<string>;
  before: Drawing | null;
}

export interface RevealSteps {
  pour: number;
  picks: number;
  hold: number | null;
  drops: number;
  second: number | null;
  lines: number;
  verdict: number | null;
  token: number | null;
  replay: number | null;
  over: number;
}

export interface CloseCall {
  kind: "conflict" | "count";
  side: Side;
  first: number | null;
  second: number | null;
  margin: number;
}

export interface Concealed {
  turn: number;
  number: number;
  side: Side;
  sealed_at: number;
  root: string;
  ballots: number;
  seed: string | null;
}

export interface Reveal {
  turn: number;
  number: number;
  sealed_at: number;
  resolved_at: number;
  red: SideTally | null;
  yellow: SideTally | null;
  resolution: Resolution;
  steps: RevealSteps;
  close_call: CloseCall | null;
  seed: string | null;
  concealed: Concealed | null;
  turn_commitment: string | null;
}

export interface Clocks {
  bank_s: number;
  increment_s: number;
  cap_s: number | null;
  red_ms: number;
  yellow_ms: number;
  crowd: boolean;
}

export interface Rated {
  red_before: number;
  red_after: number;
  yellow_before: number;
  yellow_after: number;
}

export interface SidesTurn {
  red: number;
  yellow: number;
  to_red: number;
  to_yellow: number;
}

export interface SidesSummary {
  turns: ReadonlyArray<SidesTurn>;
  loyal: readonly [number, number];
  in_time: number;
  too_soon: number;
}

export interface Offer {
  side: Side;
  kind: OfferKind;
  declined: boolean;
}

export interface Verdict {
  side: Side;
  column: number;
  quality: Quality | null;
  loss: number;
  held: number | null;
  share: number | null;
}

export interface DecisiveMistake {
  number: number;
  verdict: Verdict;
  board: Board;
  before: number;
  after: number | null;
  margin: number;
}

export interface MissedWin {
  side: Side;
  turns: number;
}

export interface Judge {
  hash: string;
  name: string;
}

export interface MatchAnalysis {
  turning: number | null;
  mistake: DecisiveMistake | null;
  missed: MissedWin | null;
  judges: ReadonlyArray<Judge>;
}

export interface Analysis {
  turn: number;
  before: number;
  after: number | null;
  margin: number;
  verdicts: ReadonlyArray<Verdict>;
  red_classes: ReadonlyArray<Quality | null>;
  yellow_classes: ReadonlyArray<Quality | null>;
  red_mix: ReadonlyArray<number>;
  yellow_mix: ReadonlyArray<number>;
  match: MatchAnalysis | null;
}

export interface Match {
  id: number;
  number: number;
  game: string;
  title: string;
  state: "playing" | "ended" | "aborted";
  red: number;
  yellow: number;
  result: Result;
  ended_by: Ending | null;
  window_s: number;
  pace: Pace;
  close_early: boolean;
  board: Board;
  turn: Turn | null;
  reveal: Reveal | null;
  tally_method: TallyMethod | null;
  tie_rule: TieRule | null;
  no_ballot_rule: NoBallotRule | null;
  talk_s: number;
  host_wait_s: number | null;
  clocks: Clocks | null;
  resign: ResignShare | null;
  draw_offers: boolean;
  rated: Rated | null;
  concealed: Concealed | null;
  max_side_changes: number;
  turn_points: boolean;
  sides: SidesSummary | null;
  offers: ReadonlyArray<Offer>;
  end_reason: EndReason | null;
  analysis: Analysis | null;
  shards: number;
}

export interface Finished {
  number: number;
  winner: number | null;
  turns: number;
  end_reason: EndReason | null;
}

export interface EventState {
  code: string;
  name: string;
  lobby: "closed" | "open" | "locked";
  team_choice: "balance" | "choose" | "link";
  teams: readonly [Team, Team];
  match: Match | null;
  next_match_at: number | null;
  finished: ReadonlyArray<Finished>;
  admission: Admission;
  peek: boolean;
  own_counts: boolean;
  team_discussion: boolean;
  notice: string;
  notice_until: number | null;
  hidden: ReadonlyArray<Part>;
  sound_on: boolean;
  lobby_music: boolean | null;
  best_of: number | null;
  extra_s: number;
  captains: boolean;
  game: string;
  next_lot: string | null;
  special_rules: ReadonlyArray<SpecialRule>;
  rematch_wanted_by: number | null;
  is_duel: boolean;
  is_casual: boolean;
  consent: string;
  language: string;
  nicknames: Nicknames | null;
  vote_mail: boolean;
  ends_at: number | null;
  brand_line: string;
  logo: string;
  display_key_version: number;
  embed_sites: string;
}

export interface LobbyOpened {
  type: "lobby.opened";
  seq: number;
  at: number;
  state: EventState;
}

export interface JoiningLocked {
  type: "joining.locked";
  seq: number;
  at: number;
  state: EventState;
}

export interface JoiningUnlocked {
  type: "joining.unlocked";
  seq: number;
  at: number;
  state: EventState;
}

export interface EventEdited {
  type: "event.edited";
  seq: number;
  at: number;
  state: EventState;
}

export interface MatchStarted {
  type: "match.started";
  seq: number;
  at: number;
  state: EventState;
}

export interface MatchAborted {
  type: "match.aborted";
  seq: number;
  at: number;
  state: EventState;
}

export interface MatchStopped {
  type: "match.stopped";
  seq: number;
  at: number;
  state: EventState;
}

export interface TurnRevealed {
  type: "turn.revealed";
  seq: number;
  at: number;
  state: EventState;
}

export interface TurnConcealed {
  type: "turn.concealed";
  seq: number;
  at: number;
  state: EventState;
}

export interface TurnPaused {
  type: "turn.paused";
  seq: number;
  at: number;
  state: EventState;
}

export interface TurnResumed {
  type: "turn.resumed";
  seq: number;
  at: number;
  state: EventState;
}

export interface TurnMoved {
  type: "turn.moved";
  seq: number;
  at: number;
  state: EventState;
}

export interface TurnVoided {
  type: "turn.voided";
  seq: number;
  at: number;
  state: EventState;
}

export interface TurnAnalyzed {
  type: "turn.analyzed";
  seq: number;
  at: number;
  state: EventState;
}

export interface TurnRestored {
  type: "turn.restored";
  seq: number;
  at: number;
  state: EventState;
}

export interface Commitment {
  root: string;
  ballots: number;
  order: string | null;
}

export interface TurnSealed {
  type: "turn.sealed";
  turn: number;
  at: number;
  epoch: number;
  red: Commitment | null;
  yellow: Commitment | null;
  turn_commitment: string | null;
}

export interface BoxFigures {
  reconnecting: number;
  changed: number;
}

export interface TurnoutCounted {
  type: "turnout.counted";
  turn: number | null;
  connected: readonly [number, number];
  voted: readonly [number, number];
  picked_at: readonly [number, number] | null;
  watching: number;
  votes_per_s: number;
  figures: BoxFigures;
}

export interface ClockSynced {
  type: "clock.synced";
  sent: number;
  now_at: number;
}

export interface RetryAfter {
  type: "retry.after";
  within_ms: number;
}

export interface Error {
  type: "error";
  code: ErrorCode;
  text: string;
  event: EventState | null;
}

export interface TeamCounted {
  type: "team.counted";
  turn: number;
  counts: ReadonlyArray<number>;
}

export interface AcceptedSideChange {
  turn: number;
  team: number;
}

export interface You {
  token: string;
  team: number;
  turn: number | null;
  choice: number | null;
  sequence: number;
  blind: string | null;
  voter_code: string;
  side_changes: ReadonlyArray<AcceptedSideChange>;
}

export interface PhoneWelcomed {
  type: "phone.welcomed";
  now_at: number;
  seq: number;
  you: You;
  state: EventState;
}

export interface BallotCounted {
  type: "ballot.counted";
  turn: number;
  choice: number;
  sequence: number;
  now_at: number;
}

export interface BallotChanged {
  type: "ballot.changed";
  turn: number;
  choice: number;
  sequence: number;
  blind: string;
}

export interface BallotRefused {
  type: "ballot.refused";
  turn: number;
  sequence: number;
  code: Refusal;
  last: number;
}

export interface ReceiptIssued {
  type: "receipt.issued";
  turn: number;
  side: Side | null;
  index: number | null;
  ballots: number;
  path: ReadonlyArray<string>;
  choice: number | null;
  blind: string | null;
}

export interface DropAnswered {
  type: "drop.answered";
  turn: number;
  answer: DropAnswer;
  symbol: number;
  index: number | null;
}

export interface SideChanged {
  type: "side.changed";
  side_changes: ReadonlyArray<AcceptedSideChange>;
}

export interface SideRefused {
  type: "side.refused";
  number: number;
  code: SideRefusal;
}

export interface DuelRefused {
  type: "duel.refused";
  action: DuelAction;
  code: DuelRefusal;
}

export interface NicknameAnswered {
  type: "nickname.answered";
  name: string;
  allowed: boolean;
  removed: boolean;
  suggestions: ReadonlyArray<string>;
  problem: string;
}

export interface DisplayWelcomed {
  type: "display.welcomed";
  now_at: number;
  seq: number;
  join_url: string;
  qr: ReadonlyArray<string>;
  team_qrs: readonly [ReadonlyArray<string>, ReadonlyArray<string>];
  state: EventState;
}

export interface KeyShown {
  type: "key.shown";
  key: string;
  until_at: number;
  join_url: string;
  qr: ReadonlyArray<string>;
  team_qrs: readonly [ReadonlyArray<string>, ReadonlyArray<string>];
}

export interface CheersCounted {
  type: "cheers.counted";
  presses: readonly [number, number];
}

export interface DropShown {
  type: "drop.shown";
  turn: number;
  side: Side;
  column: number;
  rank: number;
  symbol: number;
}

export interface Pressed {
  action: string;
  turn: number | null;
  seconds: number | null;
  text: string | null;
  part: Part | null;
  team: number | null;
  voter_code: string | null;
  match: number | null;
  successor: string | null;
}

export interface AuditEntry {
  id: number;
  by: string;
  action: string;
  what: string;
  at: number;
  pressed: Pressed | null;
  undo: string | null;
  undone: boolean;
}

export interface AuditUpdated {
  type: "audit.updated";
  entries: ReadonlyArray<AuditEntry>;
}

export interface ConsoleWelcomed {
  type: "console.welcomed";
  now_at: number;
  seq: number;
  join_url: string;
  state: EventState;
  display_key: string | null;
  role: Role;
  audit: ReadonlyArray<AuditEntry>;
}

export interface ActionDone {
  type: "action.done";
  id: number;
}

export interface ActionRefused {
  type: "action.refused";
  id: number;
  text: string;
}

export interface RehearsalUpdated {
  type: "rehearsal.updated";
  phones: number;
  connected: number;
  sent: number;
  acknowledged: number;
  lost: number;
  ack_p99_ms: number | null;
  reveal_p99_ms: number | null;
  running: boolean;
}

export interface CountsUpdated {
  type: "counts.updated";
  turn: number;
  red: ReadonlyArray<number>;
  yellow: ReadonlyArray<number>;
}

export interface Person {
  voter_code: string;
  name: string;
  team: number | null;
  moved: number | null;
  banned: boolean;
  removed: boolean;
  connected: boolean;
  voted: boolean | null;
  nickname: string;
  nickname_status: "allowed" | "none" | "removed" | "waiting";
}

export interface PeopleFound {
  type: "people.found";
  id: number;
  people: ReadonlyArray<Person>;
  more: string;
}

export interface ChatLine {
  id: number;
  at: number;
  who: number;
  name: string;
  text: string;
  removed: boolean;
}

export interface ChatPosted {
  type: "chat.posted";
  seq: number;
  slow_s: number;
  closed: boolean;
  lines: ReadonlyArray<ChatLine>;
}

export interface Suggestion {
  id: number;
  name: string;
  text: string;
  choice: number | null;
  agreed: number;
}

export interface DiscussionUpdated {
  type: "discussion.updated";
  seq: number;
  turn: number;
  total: number;
  suggestions: ReadonlyArray<Suggestion>;
}

export interface SuggestionAnswered {
  type: "suggestion.answered";
  agreed: ReadonlyArray<number>;
  problem: string;
}

export interface PagePreload {
  seq: number;
  state: EventState;
  now_at: number;
  offer: string | null;
  team: number;
}

export type PhoneMessage = PhoneJoin | BallotCast | ReceiptAsk | DropShow | SideChangeAsk | CheerSend | RematchAsk | DuelAsk | NicknameAsk | ClockAsk;
export type DisplayMessage = DisplayJoin | ClockAsk;
export type ConsoleMessage = ConsoleJoin | ActionAsk | ActionUndo | PeopleAsk | ClockAsk;
export type ChatMessage = ChatJoin | SuggestionSend | SuggestionMark | ClockAsk;
export type Changes = LobbyOpened | JoiningLocked | JoiningUnlocked | EventEdited | MatchStarted | MatchAborted | MatchStopped | TurnRevealed | TurnConcealed | TurnPaused | TurnResumed | TurnMoved | TurnVoided | TurnAnalyzed | TurnRestored;
export type Always = LobbyOpened | JoiningLocked | JoiningUnlocked | EventEdited | MatchStarted | MatchAborted | MatchStopped | TurnRevealed | TurnConcealed | TurnPaused | TurnResumed | TurnMoved | TurnVoided | TurnAnalyzed | TurnRestored | TurnSealed | TurnoutCounted | ClockSynced | RetryAfter | Error;
export type ToPhone = LobbyOpened | JoiningLocked | JoiningUnlocked | EventEdited | MatchStarted | MatchAborted | MatchStopped | TurnRevealed | TurnConcealed | TurnPaused | TurnResumed | TurnMoved | TurnVoided | TurnAnalyzed | TurnRestored | TurnSealed | TurnoutCounted | ClockSynced | RetryAfter | Error | TeamCounted | PhoneWelcomed | BallotCounted | BallotChanged | BallotRefused | ReceiptIssued | DropAnswered | SideChanged | SideRefused | DuelRefused | NicknameAnswered;
export type ToDisplay = LobbyOpened | JoiningLocked | JoiningUnlocked | EventEdited | MatchStarted | MatchAborted | MatchStopped | TurnRevealed | TurnConcealed | TurnPaused | TurnResumed | TurnMoved | TurnVoided | TurnAnalyzed | TurnRestored | TurnSealed | TurnoutCounted | ClockSynced | RetryAfter | Error | TeamCounted | DisplayWelcomed | KeyShown | CheersCounted | DropShown;
export type ToConsole = LobbyOpened | JoiningLocked | JoiningUnlocked | EventEdited | MatchStarted | MatchAborted | MatchStopped | TurnRevealed | TurnConcealed | TurnPaused | TurnResumed | TurnMoved | TurnVoided | TurnAnalyzed | TurnRestored | TurnSealed | TurnoutCounted | ClockSynced | RetryAfter | Error | TeamCounted | AuditUpdated | ConsoleWelcomed | ActionDone | ActionRefused | RehearsalUpdated | CountsUpdated | PeopleFound;
export type ToChat = ChatPosted | DiscussionUpdated | SuggestionAnswered | ClockSynced | RetryAfter | Error;

export const MAX_FRAME_BYTES = 2048;
export const CloseCode = {
  JOIN_TIMEOUT: 4001,
  TOO_MANY_FRAMES: 4003,
  UNAVAILABLE: 4004,
  TOO_SLOW: 4005,
  RESTARTING: 4006,
  CROWDED: 4007,
  BAD_FRAME: 4500,
  FRAME_TOO_LARGE: 4501,
  NO_SUCH_EVENT: 4502,
  BAD_TOKEN: 4503,
  NOT_ALLOWED: 4504,
  OPEN_ELSEWHERE: 4505,
  KICKED: 4506,
  BANNED: 4507,
} as const;
