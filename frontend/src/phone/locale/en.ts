import type { Admission, ErrorCode, Refusal } from "../../protocol";

/**
 * Message catalog of the phone page. The English one is the reference: all others have the same names and arguments.
 */

export const pair: { red: string; yellow: string } = { red: "red", yellow: "yellow" };
export const code: string = "en";
export const own: string = "English";
export const percentSign: string = "\u00a0%";

// --- joining
export const language: string = "Language";
export const typeBig: string = "Type the code from the big screen";
export const typeFirst: string = "Type the code first.";
export const join: string = "Join";
export const noEvent = (code: string): string => `There is no event with the code ${code}.`;
export const goingIn: string = "Joining";
export const manyPeople: string = "Many people are joining";
export const yourTurn: string = "You'll join automatically in a moment.";
export const reconnecting: string = "Reconnecting";
export const chooseTeam: string = "Choose your team";
export const team = (number: number): string => `Team ${number}`;
export const blockReasons: { [code in ErrorCode | "hands_only"]?: readonly [title: string, text: string] } = {
  lobby_closed: ["Opening soon", "Keep this page open. You'll join automatically."],
  joining_locked: ["Joining is closed", "Keep this page open. You'll join automatically when it opens."],
  hands_only: ["Hands up!", "Both teams vote by show of hands. Watch the big screen. No need to tap here."],
};
export const asked: { [admission in Admission]: string } = {
  open: "Type the code from the screen",
  rotating: "Type the code from the screen",
  tickets: "Type the code from your ticket",
  roster: "Type your code from the class list",
};
export const wrongOnScreen: string = "That code is wrong or has changed. Check the screen again.";
export const wrongOnPaper: string = "That code is wrong. Check it again.";
export const keyUsed: string = "This code is in use on another phone. Ask the organizers.";
export const oneDevice: string = "One vote per device here, not per person. ";
export const kept: string = "Privacy";

// --- with a seat
export const youAre: string = "You are";
export const inTeam = (count: string): string => `${count} on your team.`;
export const youAreIn: string = "You're in.";
export const soon: string = "Watch the big screen: the match is about to begin.";
export const cheer: string = "Tap your shape to cheer on the big screen.";
export const stopped: string = "The match was stopped and doesn't count. Stay: you keep your seat.";
export const nextIn = (time: string): string => `Next match in ${time}`;
export const nextBegins: string = "The next match begins";
export const bestOf = (matches: number): string => `Best of ${matches}`;
export const peek: string = "Organizers can see the votes";
export const hide: string = "Hide my vote";
export const hideWord: string = "Hide";
export const otherTeam: string = "You're on the other team now.";
export const yourVoterCode: string = "Voter code";
export const card: string = "My match";

// --- a turn
export const getReady: string = "Get ready: the first turn is about to begin.";
export const talk: string = "Talk it over.";
export const hands: string = "Your team votes by show of hands. Hands up!";
export const theirTurn = (name: string): string => `${name} is voting. You're next.`;
export const pick: string = "Pick a column.";
export const choose: string = "Make your choice.";
export const elsewhere: string = "A later vote from another device was counted.";
export const wasFor = (column: number | string): string => `It was for\u00a0${column}. You can change it.`;
export const counted = (column: number | string): string => `Counted: your vote for\u00a0${column}. You can still change it.`;
export const countedHidden: string = "Counted. You can still change it.";
export const sending = (column: number | string): string => `Sending your vote for\u00a0${column}…`;
export const notYet = (column: number | string): string => `Not counted yet: your vote for\u00a0${column}. We'll keep trying.`;
export const notCounted: string = "Not counted";
export const stands = (column: number | string): string => `Your vote for\u00a0${column} stands.`;
export const reasons: { [code in Refusal]: string } = {
  late: "too late",
  early: "too early",
  unknown: "the vote was lost",
  stale: "a newer vote came first",
  no_such_turn: "this turn is over",
  not_to_move: "it isn't your team's turn",
  illegal: "this column is full",
  busy: "server busy",
};
export const paused: string = "Paused.";
export const voteKept: string = "Your vote is kept.";
export const timeIsUp: string = "Time is up.";
export const sealed: string = "Sealed: counting the votes.";
export const allCountedNow: string = "Counted: here it comes.";
export const waitingForReceipt: string = "Checking whether your vote counted…";
export const notVoted: string = "You didn't vote this time.";
export const youVoted = (column: number | string): string => `You voted ${column}.`;
export const lateLast: string = "Your last tap came too late.";
export const unsureLast: string = "Your last vote couldn't be checked.";

// --- results
export const howVoted: string = "How both teams voted";
export const theyPicked = (name: string, column: number | string | null): string => `${name} picked ${column ?? "nothing"}.`;
export const noDrop: string = "Nobody on your team voted: you sit this turn out.";
export const lot = (column: number | string): string => `Your team didn't vote. ${column} was drawn at random.`;
export const pickedWithYou = (column: number | string, share: string, others: string): string => `Your team picked ${column}: you and ${others} more, ${share}.`;
export const pickedByYou = (column: number | string, share: string): string => `Your team picked ${column}: you alone, ${share}.`;
export const picked = (column: number | string, share: string, votes: string): string => `Your team picked ${column} with ${share} (${votes}).`;
export const both = (column: number, name: string): string => `Both chose ${column}. ${name} has the token and drops first.`;
export const full = (column: number, name: string): string => `Column ${column} is full: ${name} loses its drop.`;
export const tokenTo = (name: string): string => `The token goes to ${name}.`;
export const inColumn = (side: string, column: number): string => `${side} in ${column}`;
export const nextTurn: string = "Next turn in a moment.";
export const nobodyWins: string = "Nobody wins.";
export const wins = (name: string): string => `${name} wins.`;
export const withTeam = (turns: number, of: number): string => `You were with your team in ${turns} of ${of} ${of === 1 ? "turn" : "turns"}.`;
export const closedShape: string = "closed";
export const sealedShape: string = "sealed";
export const countedShape: string = "counted";
export const over: string = "over";
export const draw: string = "draw";
export const won: string = "won";
export const lost: string = "lost";

// --- the board as text
export const board: string = "Board";
export const column = (number: number): string => `Column ${number}`;
export const columnFull: string = "full";
export const heap = (height: number, rows: number): string => `${height} of ${rows} full`;
export const fromBelow: string = "from the bottom";
export const statuses: { idle: string; sending: string; counted: string; refused: string } = {
  idle: "",
  sending: ", sending your vote",
  counted: ", your vote",
  refused: ", not counted",
};
export const votes = (count: number): string => `${count} ${count === 1 ? "vote" : "votes"}`;
export const holdsToken: string = "holds the token";

// --- the deferred part of the page
export const away: { [why in "elsewhere" | "noSeat" | "old" | "out" | "shut"]: readonly [title: string, text: string, label: string] } = {
  elsewhere: ["Your seat is open in another window", "Your seat is kept. Only the newest windows stay connected.", "Continue here"],
  noSeat: ["This phone has no seat here", "Ask the organizers.", ""],
  old: ["This page is out of date", "Reload it to continue.", "Reload"],
  out: ["You were removed", "You can rejoin. Your seat is kept.", "Rejoin"],
  shut: ["You are banned", "Ask the organizers.", "Try again"],
};
export const hall: string = "Play one-on-one";
export const nowYou: string = "Your turn";
export const notifyMe: string = "Notify me on my turn";
export const willNotify: string = "You'll be notified while this page is open.";
export const cannotNotify: string = "This browser can't notify you.";
export const rating: string = "Rating";
export const rematch: string = "Rematch";
export const rematchAccept: string = "Accept the rematch";
export const rematchAsked: string = "Rematch requested";
export const waits: string = "No opponent yet. Share this link:";
export const gathers: string = "Your crowd joins with this link. Start there:";
export const amidst = (name: string): string => `You're in the crowd. ${name} starts the match.`;
export const ofTwo: readonly [title: string, text: string, label: string] = ["Game for two", "Take a seat or watch on the game's own page.", "Open the game page"];
export const whose: string = "Keep your seat or use this code?";
export const whoseText: string = "This device already has a seat.";
export const asBefore: string = "Keep seat";
export const withCode = (code: string): string => `Use ${code}`;
export const inSecret: string = "Choose in secret.";
export const openly: string = "Vote now: everyone sees it.";
export const theySecretly = (name: string): string => `${name} chooses in secret. You're next.`;
export const theyOpenly = (name: string): string => `${name} votes: everyone sees it.`;
export const allCounted = (good: number, votes: number, checked: number): string =>
  `${good} of ${votes} ${votes === 1 ? "vote" : "votes"} counted${good > checked ? `, ${checked} checked` : " and checked"}`;
export const countedAndChecked: string = "Counted and checked";
export const oneByOne: string = ": your votes, one by one";
export const wholeCount: readonly [before: string, link: string, after: string] = ["Use the code and seal to find your vote in ", "the full count", "."];
export const voteIn = (turn: number, column: number | string): string => `Turn ${turn}, column ${column}:`;
export const codeAndSeal = (code: string, seal: string): string => `code ${code}${seal && `, seal ${seal}`}`;
export const findings: { [found in "checked" | "counted" | "elsewhere" | "unsure" | "late" | "missing" | "none"]: string } = {
  checked: "counted and checked",
  counted: "counted; this phone didn't see the seal",
  elsewhere: "a later vote from another device was counted",
  unsure: "not checked: this phone was offline when the turn ended",
  late: "came too late",
  missing: "not in the count",
  none: "not checked yet",
};
export const missing = (turn: number, column: number | string, code: string): string =>
  `Your vote is missing from the count. Show this to the organizers: turn ${turn}, column ${column}, code ${code}…`;
export const cardTitle: { won: string; lost: string; draw: string } = { won: "We won!", lost: "Well fought", draw: "A draw" };
export const turnsVoted: string = "turns voted";
export const agreement: string = "with my team";
export const youCalled: string = "I called the winning column";
export const save: string = "Save as image";
export const close: string = "Close";

export const findDrop: string = "Find my drop";
export const dropWaits = (symbol: string): string => `${symbol} will mark your drop`;
export const yourDrop = (symbol: string, number: string): string => `Yours is drop ${number} ${symbol}`;
export const dropFull: string = "No more marks this turn";

// --- secret sides
export const mySide: string = "My side";
export const look: string = "Show for 3 seconds";
export const changeWhen: string = "You can secretly switch sides between turns.";
export const remain: string = "Stay";
export const changeOver: string = "Switch";
export const noted: string = "Saved. Look when nobody is watching.";
export const playsFor = (name: string): string => `You play for ${name}.`;
export const sideChangesLeft = (left: number): string => left === 1 ? "One change left." : `Changes left: ${left}.`;
export const notChanged: string = "Your change came too late.";
export const endedWon: string = "You ended on the winning side.";
export const endedLost: string = "You ended on the losing side.";
export const endedDraw: string = "It ended in a draw.";
export const points = (count: number): string => count === 1 ? "One point." : `${count} points.`;
export const picking = (column: number | string): string => `Your team picked ${column}.`;

// --- ballots of several columns, in the deferred part
export const chooseAll: string = "Choose all you like.";
export const rankUp: string = "Tap up to three, best first.";
export const countedSeveral = (column: string): string => `Counted: ${column}. Tap more, or tap again to undo.`;
export const inPlace = (place: number): string => `choice ${place}`;
export const givePoints: string = "Tap to give points, up to 5 each.";
export const countedPoints = (column: string): string => `Counted: ${column}. Each tap adds 1; after 5 comes 0.`;
export const scored = (count: number): string => `${count} ${count === 1 ? "point" : "points"}`;
export const youGave = (count: number): string => `you gave ${scored(count)}`;
export const pickedInRound = (column: string, round: number, share: string): string => `Your team picked ${column} in round ${round}, with ${share}.`;
export const weGaveUp: string = "Your team gave up.";
export const gaveUp = (name: string): string => `${name} gave up.`;
export const giveUp: string = "Vote to give up";
export const surelyGiveUp: string = "Sure? Tap again";
export const takeBackWish: string = "You voted to give up. Undo";
export const youDecideTies: string = "You are the captain: you decide ties.";
