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
export const goingIn: string = "Going in";
export const manyPeople: string = "Many people are coming in";
export const yourTurn: string = "Your turn in a moment. There is nothing to press.";
export const reconnecting: string = "Reconnecting";
export const chooseTeam: string = "Choose your team";
export const team = (number: number): string => `Team ${number}`;
export const blockReasons: { [code in ErrorCode | "hands_only"]?: readonly [title: string, text: string] } = {
  team_needed: ["Scan your team's code", "Each team has a code of its own. Scan the one on your side of the hall."],
  lobby_closed: ["The doors open soon", "Keep this page: you come in by yourself."],
  joining_locked: ["The doors are closed", "Nobody new can join just now. Keep this page: you come in when they open."],
  hands_only: ["Hands up!", "Both teams vote by a show of hands. Look at the big screen; here is nothing to press."],
};
export const asked: { [admission in Admission]: string } = {
  open: "Type the code from the screen",
  rotating: "Type the code from the screen",
  tickets: "Type the code from your ticket",
  roster: "Type your code from the class list",
};
export const wrongOnScreen: string = "That code is not right, or it has changed. Look at the screen again.";
export const wrongOnPaper: string = "There is no such code. Look at it again.";
export const keyUsed: string = "This code is in use on another phone. Ask the organizers.";
export const oneDevice: string = "One device is one vote here: that proves no person. ";
export const kept: string = "What is kept of you";

// --- with a seat
export const youAre: string = "You are";
export const inTeam = (count: string): string => `${count} in your team.`;
export const youAreIn: string = "You are in.";
export const soon: string = "Look at the big screen: the match is about to begin.";
export const cheer: string = "Press your shape: the big screen feels it.";
export const stopped: string = "The match was stopped and does not count. Stay: your seat is kept.";
export const nextIn = (time: string): string => `Next match in ${time}`;
export const nextBegins: string = "The next match begins";
export const bestOf = (matches: number): string => `Best of ${matches}`;
export const peek: string = "The control room sees the votes";
export const hide: string = "Hide my vote";
export const hideWord: string = "Hide";
export const otherTeam: string = "You are in the other team now.";
export const yourVoterCode: string = "Your sign";
export const card: string = "My match";

// --- a turn
export const getReady: string = "Get ready: the first turn is about to begin.";
export const talk: string = "Talk it over.";
export const hands: string = "Your team votes by a show of hands. Hands up!";
export const theirTurn = (name: string): string => `${name} is voting. You are next.`;
export const pick: string = "Pick a column.";
export const choose: string = "Make your choice.";
export const elsewhere: string = "A later vote from another device was counted.";
export const wasFor = (column: number | string): string => `It was for\u00a0${column}. You can change it.`;
export const counted = (column: number | string): string => `Counted: your vote for\u00a0${column}. You can still change it.`;
export const countedHidden: string = "Counted. You can still change it.";
export const sending = (column: number | string): string => `Sending your vote for\u00a0${column}…`;
export const notYet = (column: number | string): string => `Not counted yet: your vote for\u00a0${column}. It goes out by itself.`;
export const notCounted: string = "Not counted";
export const stands = (column: number | string): string => `Your vote for\u00a0${column} stands.`;
export const reasons: { [code in Refusal]: string } = {
  late: "too late",
  early: "too early",
  unknown: "the ballot box lost it",
  stale: "a newer vote came first",
  no_such_turn: "this turn is over",
  not_to_move: "it isn't your team's turn",
  illegal: "this column is full",
  busy: "too much going on",
};
export const paused: string = "A short pause.";
export const voteKept: string = "Your vote is kept.";
export const timeIsUp: string = "Time is up.";
export const sealed: string = "Sealed: now the votes are counted.";
export const allCountedNow: string = "Counted: here it comes.";
export const waitingForReceipt: string = "Waiting to hear whether your vote counted…";
export const notVoted: string = "You didn't vote this time.";
export const youVoted = (column: number | string): string => `You voted ${column}.`;
export const lateLast: string = "Your last press came too late.";
export const unsureLast: string = "Your last vote could not be checked.";

// --- results
export const howVoted: string = "How both teams voted";
export const theyPicked = (name: string, column: number | string | null): string => `${name} picked ${column ?? "nothing"}.`;
export const noDrop: string = "Nobody in your team voted: you sit this turn out.";
export const lot = (column: number | string): string => `Nobody in your team voted. The lot fell on ${column}.`;
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
  elsewhere: ["This phone's seat is open in another window", "Your seat is kept. Only the newest windows stay in the game.", "Continue here"],
  noSeat: ["This phone has no seat here", "Ask the people who run the event.", ""],
  old: ["This page is out of date", "Load it again to go on.", "Load again"],
  out: ["You were sent out", "You can come in again; your seat is kept.", "Come in again"],
  shut: ["You are kept out", "Speak to the people who run the event.", "Try again"],
};
export const hall: string = "Play one against one: the open hall";
export const nowYou: string = "Your turn";
export const notifyMe: string = "Tell me when it is my turn";
export const willNotify: string = "You will be told, as long as this page is open.";
export const cannotNotify: string = "This browser does not tell you.";
export const rating: string = "Rating";
export const rematch: string = "Rematch";
export const rematchAccept: string = "Accept the rematch";
export const rematchAsked: string = "Rematch asked for";
export const waits: string = "Nobody is here to play against yet. Give them this link:";
export const gathers: string = "Your crowd comes by this link. Begin on its page:";
export const amidst = (name: string): string => `You are in the crowd. It begins when ${name} says so.`;
export const ofTwo: readonly [title: string, text: string, label: string] = ["A game of two", "Its seats are given out on the game's own page. You can watch it there, too.", "To the game's page"];
export const whose: string = "Go on as before, or with this code?";
export const whoseText: string = "This device has a seat already.";
export const asBefore: string = "As before";
export const withCode = (code: string): string => `With ${code}`;
export const inSecret: string = "Choose in secret.";
export const openly: string = "Now you: everybody sees it.";
export const theySecretly = (name: string): string => `${name} chooses in secret. You are next.`;
export const theyOpenly = (name: string): string => `${name} votes: everybody sees it.`;
export const allCounted = (good: number, votes: number, checked: number): string =>
  `${good} of ${votes} ${votes === 1 ? "vote" : "votes"} counted${good > checked ? `, ${checked} checked` : " and checked"}`;
export const countedAndChecked: string = "Counted and checked";
export const oneByOne: string = ": your votes, one by one";
export const wholeCount: readonly [before: string, link: string, after: string] = ["The code and the seal find a vote of yours in ", "the whole count", "."];
export const voteIn = (turn: number, column: number | string): string => `Turn ${turn}, column ${column}:`;
export const codeAndSeal = (code: string, seal: string): string => `code ${code}${seal && `, seal ${seal}`}`;
export const findings: { [found in "checked" | "counted" | "elsewhere" | "unsure" | "late" | "missing" | "none"]: string } = {
  checked: "counted and checked",
  counted: "counted; this phone did not see the seal",
  elsewhere: "a later vote from another device was counted",
  unsure: "could not be checked: this phone was away when the turn ended",
  late: "came too late",
  missing: "not in the count",
  none: "not checked yet",
};
export const missing = (turn: number, column: number | string, code: string): string =>
  `Your vote could not be found in the count. Show this to the organizers: turn ${turn}, column ${column}, code ${code}…`;
export const cardTitle: { won: string; lost: string; draw: string } = { won: "We won!", lost: "Well fought", draw: "A draw" };
export const turnsVoted: string = "turns voted";
export const agreement: string = "with my team";
export const youCalled: string = "I called the winning column";
export const save: string = "Save as a picture";
export const close: string = "Close";

// --- secret sides
export const mySide: string = "My side";
export const look: string = "Look, for three seconds";
export const changeWhen: string = "Between two turns you may change over, in secret.";
export const remain: string = "Stay here";
export const changeOver: string = "Change over";
export const noted: string = "Noted. Look again when nobody is looking.";
export const playsFor = (name: string): string => `You play for ${name}.`;
export const sideChangesLeft = (left: number): string => left === 1 ? "One change left." : `Changes left: ${left}.`;
export const notChanged: string = "Your change came too late.";
export const endedWon: string = "You ended on the winning side.";
export const endedLost: string = "You ended on the losing side.";
export const endedDraw: string = "It ended in a draw.";
export const points = (count: number): string => count === 1 ? "One point." : `${count} points.`;
export const picking = (column: number | string): string => `Your team picked ${column}.`;

// --- ballots of several columns, in the deferred part
export const chooseAll: string = "Choose all that you like.";
export const rankUp: string = "Tap up to three, the best first.";
export const countedSeveral = (column: string): string => `Counted: ${column}. Tap more, or one again to take it back.`;
export const inPlace = (place: number): string => `choice ${place}`;
export const pickedInRound = (column: string, round: number, share: string): string => `Your team picked ${column} in round ${round}, with ${share}.`;
export const weGaveUp: string = "Your team gave up.";
export const gaveUp = (name: string): string => `${name} gave up.`;
export const giveUp: string = "Vote to give up";
export const surelyGiveUp: string = "Sure? Press again";
export const takeBackWish: string = "You vote to give up. Take back";
export const youDecideTies: string = "You are the captain: you decide ties.";
