import type { Board, EventState, Match, Resolution, Reveal, RevealSteps, SideTally, Turn } from "../protocol";

/** Made-up events for tests. */
export const NOW = 1_000_000;

export function stacked(columns: readonly string[]): Board {
  const line = (row: number) => columns.map((stack) => stack[row] ?? ".").join("");
  const grid = Array.from({ length: 6 }, (_, fromTop) => line(5 - fromTop));
  return { kind: "columns", columns: columns.length, rows: 6, grid, token: "red", winning_cells: [], losing_cells: [], choices: [], drawing: null, vote: null };
}

export function makeTurn(part: Partial<Turn> = {}): Turn {
  const usual = { id: 7, number: 7, opens_at: NOW, closes_at: NOW + 20_000, epoch: 1, paused: false, left_ms: 0, talk_ms: 0, idle: false };
  return { ...usual, to_move: ["red", "yellow"], legal: { red: [1], yellow: [1] }, lot: null, draw_offered_by: null, ...part };
}

export function makeTally(counts: readonly number[], pick: number | null, part: Partial<SideTally> = {}): SideTally {
  return { counts, ballots: counts.reduce((sum, count) => sum + count, 0), pick, decided_by: "plurality", root: null, rounds: null, resigning: 0, draw_votes: 0, ...part };
}

export function makeResolution(part: Partial<Resolution> = {}): Resolution {
  return { drops: [], conflict: null, token_before: "red", token_after: "red", lines: [], losing_lines: [], double_win: false, block: null, result: "open", sentences: [], before: null, ...part };
}

export const STEPS: RevealSteps = { pour: 400, picks: 1600, hold: null, drops: 2400, second: null, lines: 4000, verdict: null, token: null, replay: null, over: 6000 };

export function makeReveal(part: Partial<Reveal> = {}): Reveal {
  const usual = { turn: 6, number: 6, sealed_at: NOW - 100, resolved_at: NOW, seed: null, concealed: null, turn_commitment: null };
  return { ...usual, steps: STEPS, close_call: null, red: makeTally([9, 1], 1), yellow: makeTally([1, 9], 2), resolution: makeResolution(), ...part };
}

export function makeMatch(part: Partial<Match> = {}): Match {
  return {
    id: 3, number: 3, game: "simultaneous-captains-mistress", title: "Captain", state: "playing", red: 1, yellow: 2, result: "open",
    ended_by: null, offers: [], window_s: 20, pace: "normal", close_early: false, board: stacked(["", "", "", "", "", "", ""]), turn: makeTurn(),
    reveal: null, tally_method: "plurality", tie_rule: "first", no_ballot_rule: "random", talk_s: 0, host_wait_s: null, clocks: null, resign: null, draw_offers: false, rated: null, concealed: null, max_side_changes: 0, turn_points: false, sides: null, end_reason: null, analysis: null, shards: 1, ...part,
  };
}

export function makeEvent(part: Partial<EventState> = {}): EventState {
  return {
    code: "K7QX", name: "Evening", lobby: "open", team_choice: "balance", nicknames: "off", vote_mail: false, embed_sites: "",
    teams: [{ number: 1, name: "North", source: "phones", is_public: false, captain: "", solo: false, color: "" }, { number: 2, name: "South", source: "phones", is_public: false, captain: "", solo: false, color: "" }],
    match: makeMatch(), next_match_at: null, ends_at: null, finished: [], admission: "open", peek: false, own_counts: false, team_discussion: false, notice: "", notice_until: null, hidden: [], sound_on: false, lobby_music: null,
    best_of: null, extra_s: 0, captains: false, game: "simultaneous-captains-mistress", next_lot: null, special_rules: [], rematch_wanted_by: null, is_duel: false, is_casual: false, consent: "", language: "en", brand_line: "", logo: "", display_key_version: 0, ...part,
  };
}
