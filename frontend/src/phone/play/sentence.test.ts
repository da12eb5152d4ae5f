import assert from "node:assert/strict";
import test from "node:test";
import type { Deciding, EventState, Match, Result, Reveal } from "../../protocol";
import { NO_BALLOT } from "../ballot/ballot";
import { board } from "./board";
import { DRAW } from "../ballot/encoding";
import { html, htmlText } from "../dom";
import { shapeText, sentence } from "./sentence";
import { boardLayers, nextLine, pickedText } from "./boardLayers";
import * as sentences from "./sentences";
import { phoneView, type PhoneView } from "../seat/phoneView";
import type { SeatedPhone } from "../seat/voterState";

const NOW = 1_000_000;
const TURN = { id: 20, number: 2, opens_at: NOW - 1000, closes_at: NOW + 9000, epoch: 1, paused: false, left_ms: 0, talk_ms: 0, idle: false, to_move: ["red", "yellow"], legal: { red: [1, 2, 3], yellow: [1, 2, 3] }, lot: null, draw_offered_by: null } as const;
/** The turn after a reveal. */
const NEXT = { ...TURN, opens_at: NOW + 6000, closes_at: NOW + 16_000 };
const GRID = ["...", "Y..", "RY."];

const STEPS = { pour: 400, picks: 1600, hold: null, drops: 2400, second: 3100, lines: 4000, verdict: null, token: 4200, replay: null, over: 6000 };

/** A reveal that began this long ago. */
function reveal(agoMs: number, counts: readonly number[] = [0, 5, 3], decided_by: Deciding = "plurality"): Reveal {
  const drops = [{ side: "red", column: 2, row: 1 }, { side: "yellow", column: 2, row: null }] as const;
  const resolution = { drops, conflict: 2, token_before: "red", token_after: "yellow", lines: [], losing_lines: [], double_win: false, block: null, result: "open", sentences: [], before: null } as const;
  const tally = { counts, ballots: counts.reduce((all, one) => all + one), pick: 2, decided_by, root: null, rounds: null, resigning: 0, draw_votes: 0 } as const;
  return { turn: 10, number: 1, sealed_at: 0, resolved_at: NOW - agoMs, red: tally, yellow: tally, resolution, steps: STEPS, close_call: null, seed: null, concealed: null, turn_commitment: null };
}

function match(part: Partial<Match> = {}): Match {
  const board = { kind: "columns", columns: 3, rows: 3, grid: GRID, token: "red", winning_cells: [], losing_cells: [], choices: [], drawing: null, vote: null } as const;
  return { id: 1, number: 1, state: "playing", red: 1, yellow: 2, result: "open", window_s: 10, pace: "normal", talk_s: 0, board, turn: part.reveal ? NEXT : TURN, reveal: null, tally_method: "plurality", max_side_changes: 0, ...part } as Match;
}

function view(played: Match | null, voter: Partial<PhoneView> = {}, event: Partial<EventState> = {}): PhoneView {
  const teams = [{ number: 1, name: "North", source: "phones", is_public: false, captain: "" }, { number: 2, name: "South", source: "phones", is_public: false, captain: "" }];
  const state = { code: "HJKM", teams, finished: [], match: played, own_counts: false, hidden: [], ...event } as unknown as EventState;
  const own = { ballot: NO_BALLOT, record: { match: 1, turn: 10, choice: 2, agreed: {} }, receipts: [], counts: null, sideChanges: [] };
  const seated = {
    clock: { now: () => NOW },
    store: { get: () => ({ event: state, turnout: null, connection: { state: "joined" } }) },
    voter: { get: () => ({ ...own, ...voter }) },
  } as unknown as SeatedPhone;
  return phoneView(seated, 1, { hiding: voter.hiding ?? false, holding: false });
}

const voted = { ...NO_BALLOT, turn: 20, choice: 3, heldChoice: 3, status: "counted" } as const;

test("in the talk phase the phone says so and counts down to the opening", () => {
  const later = { ...TURN, opens_at: NOW + 5000, closes_at: NOW + 15_000 };
  const talk = view(match({ turn: { ...later, talk_ms: 10_000 } }));
  assert.deepEqual([talk.talking, sentence(talk), shapeText(talk)], [true, "Talk it over.", "5"]);
  assert.equal(view(match({ turn: { ...later, talk_ms: 3000 } })).talking, false);
  assert.equal(view(match({ turn: { ...TURN, talk_ms: 10_000 } })).talking, false, "the window is open");
  assert.equal(view(match({ turn: later, talk_s: 10 })).talking, false, "the vote continues after a pause");
});

test("a phone that isn't connected says so instead of offering changes, and keeps the vote", () => {
  const counted = { ...view(match(), { ballot: voted }), connection: { state: "lost" } } as const;
  assert.equal(sentences.sentence(counted, counted.match), "You aren't connected. Your vote is kept.");
});

test("a phone of a team with a show of hands says so and accepts no vote", () => {
  const teams = [{ number: 1, name: "North", source: "hands", is_public: false, captain: "", solo: false, color: "" }, { number: 2, name: "South", source: "phones", is_public: false, captain: "", solo: false, color: "" }] as const;
  const hands = view(match(), {}, { teams });
  assert.match(sentences.sentence(hands, hands.match), /show of hands/);
  assert.equal(sentence(hands), "", "until the deferred part is loaded");
  assert.equal(htmlText(board(hands, hands.match!)!).match(/ disabled/g)?.length, 3);
});

test("a hidden vote is not named after it was refused or counted", () => {
  const said = (played: Match, voter: Partial<PhoneView>) => sentences.sentence(view(played, voter), played).replace("\u00a0", " ");
  const refused = { ...voted, choice: 1, status: "refused", reason: "late" } as const;
  assert.equal(said(match(), { ballot: refused, hiding: true }), "Not counted: too late.");
  assert.equal(said(match(), { ballot: refused }), "Not counted: too late. Your vote for 3 stands.");
  for (const choice of [2, 3]) {
    const record = { match: 1, turn: 10, choice, agreed: {} };
    assert.equal(said(match({ reveal: reveal(1700) }), { record, hiding: true }), "Your team picked 2 with 63% (5 votes).");
  }
});

test("a column ranked second is no vote for the pick in the first round", () => {
  const shown = reveal(1700, [0, 5, 3], "runoff");
  const played = match({ tally_method: "instant_runoff", reveal: { ...shown, red: { ...shown.red!, rounds: [[0, 5, 3]] } } });
  const said = (choice: number) => sentences.sentence(view(played, { record: { match: 1, turn: 10, choice, agreed: {} } }), played);
  assert.equal(said(2 + 256 * 3), "Your team picked 2: you and 4 more, 63%.");
  assert.equal(said(3 + 256 * 2), "Your team picked 2 with 63% (5 votes). You voted 3, 2.");
});

test("a hidden vote shows only that it is counted", () => {
  const hidden = view(match(), { ballot: voted, hiding: true });
  assert.equal(sentence(hidden), "Counted. You can still change it.");
  assert.doesNotMatch(htmlText(board(hidden, hidden.match!)!), /class="column counted|#ball-red"[^>]*><\/use><use href="#tick/);
  const seen = view(match(), { ballot: voted });
  assert.match(sentence(seen), /Counted: your vote for\u00a03/);
  assert.match(htmlText(board(seen, seen.match!)!), /class="column counted"/);
});

test("closed, sealed and counted differ in text and on the board", () => {
  const over = match({ turn: { ...TURN, closes_at: NOW - 1 } });
  const seal = { type: "turn.sealed", epoch: 1, turn_commitment: null, turn: 20, at: NOW, red: null, yellow: null } as const;
  const looks = (played: Match, voter: Partial<PhoneView>) => {
    const seen = view(played, { ballot: voted, ...voter });
    const { figures } = boardLayers(seen, played);
    return [sentences.shapeText(seen, played), sentences.sentence(seen, played), figures && htmlText(figures)];
  };
  assert.deepEqual(looks(over, {}), ["closed", "Time is up. You voted 3.", '<div class="lid "></div>']);
  assert.deepEqual(looks(over, { seal: { ...seal, turn: 10 } }), looks(over, {}), "a seal of another turn");
  assert.deepEqual(looks(over, { seal }), ["sealed", "Sealed: counting the votes. You voted 3.", '<div class="lid shut"></div>']);
  assert.equal(looks({ ...over, host_wait_s: 60 }, { seal })[1], "Sealed: the organizer starts the reveal. You voted 3.");
  assert.deepEqual(looks(match({ reveal: reveal(100) }), { seal }), ["counted", "Counted: here it comes.", undefined]);
});

test("after the count the phone shows the team's pick and its share of votes", () => {
  const picked = (counts: readonly number[], choice: number | null, decidedBy?: Deciding) => {
    const played = match({ reveal: reveal(1700, counts, decidedBy) });
    return sentences.sentence(view(played, { record: { match: 1, turn: 10, choice, agreed: {} } }), played);
  };
  assert.equal(picked([0, 5, 3], 2), "Your team picked 2: you and 4 more, 63%.");
  assert.equal(picked([0, 1, 0], 2), "Your team picked 2: you alone, 100%.");
  assert.equal(picked([0, 5, 3], 3), "Your team picked 2 with 63% (5 votes). You voted 3.");
  assert.equal(picked([0, 5, 3], null), "Your team picked 2 with 63% (5 votes).");
  assert.equal(picked([0, 4, 4], 3, "lot"), "Your team picked 2. A tie, drawn at random.");
});

test("a reveal without vote counts shows only the picks", () => {
  const played = match({ reveal: reveal(1700) });
  const look = (hidden: readonly "tally"[]) => {
    const seen = view(played, {}, { hidden });
    return [sentences.sentence(seen, played), pickedText(seen, played, "yellow"), !!boardLayers(seen, played).over];
  };
  assert.deepEqual(look(["tally"]), ["Your team picked 2.", "2", false]);
  assert.deepEqual(look([]), ["Your team picked 2: you and 4 more, 63%.", "2 · 63%", true]);
});

test("moves are announced only after they have dropped", () => {
  assert.equal(sentences.movesText(view(match({ reveal: reveal(2500) }))), "");
  assert.equal(sentences.movesText(view(match({ reveal: reveal(5000) }))), "North in 2, Column 2 is full: South loses its drop.");
  assert.equal(sentences.movesText(view(match())), "");
});

test("a conflict says who drops first, then whose ball had no room", () => {
  const read = (agoMs: number, result: Result = "open") => {
    const seen = view(match({ result, turn: { ...TURN, opens_at: NOW + 3500, closes_at: NOW + 13_500 }, reveal: reveal(agoMs) }));
    return sentences.sentence(seen, seen.match);
  };
  assert.equal(read(2500), "Both chose 2. North has the token and drops first.");
  assert.equal(read(4100), "Column 2 is full: South loses its drop. Next turn in a moment.");
  assert.equal(read(4100, "draw"), "Column 2 is full: South loses its drop. Nobody wins.");
});

test("a draw offer is named after its reveal with its share, and accepted with a vote of the other team", () => {
  const offered = { ...TURN, draw_offered_by: "red" } as const;
  const shown = { ...reveal(4100), red: { ...reveal(4100).red!, draw_votes: 5 } };
  const own = view(match({ turn: { ...offered, opens_at: NOW + 3500, closes_at: NOW + 13_500 }, reveal: shown }));
  assert.equal(sentences.sentence(own, own.match), "Column 2 is full: South loses its drop. Your team offers a draw · 63%. Next turn in a moment.");
  const answer = (team: number, choice: number, offers = true) => {
    const played = match({ turn: offered, draw_offers: offers, resign: null });
    return htmlText(nextLine({ ...view(played, { ballot: { ...voted, choice } }), side: team === 1 ? "red" : "yellow" }) || html``);
  };
  const theirs = { ...view(match({ turn: offered }), {}, { hidden: ["tally"] }), side: "yellow" } as const;
  assert.equal(sentences.sentence(theirs, theirs.match), "North offers a draw.");
  assert.match(answer(2, 3), /aria-pressed="false">Accept the draw</);
  assert.match(answer(2, DRAW + 3), /aria-pressed="true">Accept the draw</);
  assert.match(answer(1, 3), /aria-pressed="false">Offer a draw</);
  assert.equal(answer(2, 3, false), "");
});

test("an agreed draw says why at the end of its reveal", () => {
  const seen = view(match({ result: "draw", end_reason: "agreed", turn: null, reveal: reveal(4100) }));
  assert.equal(sentences.sentence(seen, seen.match), "Column 2 is full: South loses its drop. Nobody wins. Both agreed to a draw.");
});

test("a double win lights the line of the side that loses, then says who wins and why", () => {
  const shown = reveal(0);
  const resolution = { ...shown.resolution, result: "red", double_win: true, token_before: "red" } as const;
  const won = { result: "red", end_reason: "holder", turn: null, board: { ...match().board, grid: ["...", "Y..", "RY."], winning_cells: [[1, 1]], losing_cells: [[2, 1]] } } as const;
  const look = (agoMs: number) => {
    const played = match({ ...won, reveal: { ...shown, resolved_at: NOW - agoMs, resolution, steps: { ...STEPS, verdict: 5000, token: 5500 } } });
    const seen = view(played);
    const { lit } = boardLayers(seen, played);
    return [sentences.sentence(seen, played), sentences.shapeText(seen, played), [1, 2].map((column) => (htmlText(lit!(column)).match(/<circle/g) ?? []).length)];
  };
  assert.deepEqual(look(4500), ["Four in a row for both.", "2", [0, 1]]);
  assert.deepEqual(look(5500), ["North wins. Four in a row for both: North held the token.", "won", [1, 1]]);
});

test("the board has a text description", () => {
  const shown = htmlText(board(view(match()), match())!);
  const names = [...shown.matchAll(/data-column="\d"[^>]*aria-label="([^"]*)"/g)].map(([, name]) => name);
  assert.deepEqual(names, ["Column 1, 2 of 3 full, from the bottom: red yellow", "Column 2, 1 of 3 full, from the bottom: yellow", "Column 3, 0 of 3 full"]);
});

test("the own team's interim counts are shown and described for the current turn only", () => {
  const counts = { type: "team.counted", turn: 20, counts: [1, 0, 12] } as const;
  const shown = (ownCounts: boolean, turn: number) => boardLayers(view(match(), { counts: { ...counts, turn } }, { own_counts: ownCounts }), match());
  const seen = shown(true, 20);
  assert.deepEqual([1, 2, 3].map((column) => seen.votesLabel!(column)), ["1 vote", false, "12 votes"]);
  assert.match(htmlText(seen.figures!), /<span>1<\/span><span><\/span><span>12<\/span>/);
  for (const untold of [shown(true, 10), shown(false, 20)]) assert.deepEqual([untold.under, untold.votesLabel, htmlText(untold.figures!)], [undefined, undefined, ""]);
  const over = match({ turn: { ...TURN, closes_at: NOW - 1 } });
  assert.match(htmlText(boardLayers(view(over, { counts }, { own_counts: true }), over).figures!), /class="votes".*class="lid/, "still visible when the board is closed");
});

test("with secret sides a reveal names both picks for every voter", () => {
  const shown = reveal(2300);
  const gave = { ...shown, red: { ...shown.red!, pick: null, decided_by: "resign" as const } };
  const read = (reveal: Reveal) => {
    const seen = view(match({ max_side_changes: 1, turn: { ...TURN, opens_at: NOW + 3500, closes_at: NOW + 13_500 }, reveal }));
    return sentences.sentence(seen, seen.match);
  };
  assert.equal(read(shown), "North picked 2. South picked 2.");
  assert.equal(read(gave), "North gave up. South picked 2.");
});
