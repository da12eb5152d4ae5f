import { n, p, t } from "../live/i18n";
import type { Admission, ErrorCode, Refusal } from "../protocol";

/**
 * The texts of the phone page. The build replaces each call by its translation in `locale/` (see `messages.ts`).
 */

export const pair: { red: string; yellow: string } = { red: p("piece", "red"), yellow: p("piece", "yellow") };

// --- joining
/** The name of this language, in itself. */
export const languageName: string = p("own name", "English");
export const language: string = t("Language");
export const typeBig: string = t("Type the code from the big screen");
export const typeFirst: string = t("Type the code first.");
export const join: string = t("Join");
export const noEvent = (code: string): string => t("There is no event with the code %(code)s.", { code });
export const goingIn: string = t("Joining");
export const manyPeople: string = t("Many people are joining");
export const yourTurn: string = t("You'll join automatically in a moment.");
export const reconnecting: string = t("Reconnecting");
export const chooseTeam: string = t("Choose your team");
export const team = (number: number): string => t("Team %(number)s", { number });
export const blockReasons: { [code in ErrorCode | "hands_only"]?: readonly [title: string, text: string] } = {
  lobby_closed: [t("Opening soon"), t("Keep this page open. You'll join automatically.")],
  joining_locked: [t("Joining is closed"), t("Keep this page open. You'll join automatically when it opens.")],
  hands_only: [t("No phones needed"), t("Both teams vote without phones. Watch the big screen. No need to tap here.")],
};
export const asked: { [admission in Admission]: string } = {
  open: t("Type the code from the screen"),
  rotating: t("Type the code from the screen"),
  tickets: t("Type the code from your ticket"),
  roster: t("Type your code from the class list"),
};
export const wrongOnScreen: string = t("That code is wrong or has changed. Check the screen again.");
export const wrongOnPaper: string = t("That code is wrong. Check it again.");
export const keyUsed: string = t("This code is in use on another phone. Ask the organizers.");
export const oneDevice: string = `${t("One vote per device here, not per person.")} `;
export const kept: string = t("Privacy");
export const rules: string = t("Rules");

// --- with a seat
export const youAre: string = t("You are");
export const inTeam = (count: string): string => t("%(count)s on your team.", { count });
export const youAreIn: string = t("You're in.");
export const soon: string = t("Watch the big screen: the match is about to begin.");
export const cheer: string = t("Tap your shape to cheer on the big screen.");
export const stopped: string = t("The match was stopped and doesn't count. Stay: you keep your seat.");
export const nextIn = (time: string): string => t("Next match in %(time)s", { time });
export const nextOn = (time: string): string => t("Next match: %(time)s", { time });
export const nextBegins: string = t("The next match begins");
export const bestOf = (matches: number): string => t("Best of %(matches)s", { matches });
export const peek: string = t("Organizers can see the votes");
export const hide: string = t("Hide my choice");
export const hideWord: string = t("Hide");
export const otherTeam: string = t("You're on the other team now.");
export const yourVoterCode: string = t("Voter code");
export const card: string = t("My match");

// --- a turn
export const getReady: string = t("Get ready: the first turn is about to begin.");
export const talk: string = t("Talk it over.");
export const hands: string = t("Your team votes by show of hands. Hands up!");
export const theirTurn = (name: string): string => t("%(name)s is voting. You're next.", { name });
export const pick: string = t("Pick a column.");
export const choose: string = t("Make your choice.");
export const elsewhere: string = t("A later vote from another device was counted.");
export const wasFor = (column: number | string): string => t("It was for\u00a0%(column)s. You can change it.", { column });
export const counted = (column: number | string): string => t("Counted: your vote for\u00a0%(column)s. You can still change it.", { column });
export const countedHidden: string = t("Counted. You can still change it.");
export const sending = (column: number | string): string => t("Sending your vote for\u00a0%(column)s…", { column });
export const notYet = (column: number | string): string => t("Not counted yet: your vote for\u00a0%(column)s. We'll keep trying.", { column });
export const notCounted: string = t("Not counted");
export const stands = (column: number | string): string => t("Your vote for\u00a0%(column)s stands.", { column });
export const reasons: { [code in Refusal]: string } = {
  late: t("too late"),
  early: t("too early"),
  unknown: t("it was lost"),
  stale: t("a newer one came first"),
  no_such_turn: t("this turn is over"),
  not_to_move: t("it isn't your turn"),
  illegal: t("this column is full"),
  busy: t("server busy"),
};
export const paused: string = p("phone", "Paused.");
export const voteKept: string = t("Your vote is kept.");
export const notConnected: string = t("You aren't connected.");
export const timeIsUp: string = t("Time is up.");
export const sealed: string = t("Sealed: counting the votes.");
export const sealedUntilHost: string = t("Sealed: the organizer starts the reveal.");
export const allCountedNow: string = t("Counted: here it comes.");
export const waitingForReceipt: string = t("Checking whether your vote counted…");
export const notVoted: string = t("You didn't vote.");
export const youVoted = (column: number | string): string => t("You voted %(column)s.", { column });
export const lateLast: string = t("Your last tap came too late.");
export const unsureLast: string = t("Your last vote couldn't be checked.");

// --- results
export const howVoted: string = t("How both teams voted");
export const theyPicked = (name: string, column: number | string | null): string =>
  column === null ? t("%(name)s picked nothing.", { name }) : t("%(name)s picked %(column)s.", { name, column });
export const noDrop: string = t("Nobody on your team voted: you sit this turn out.");
export const lot = (column: number | string): string => t("Your team didn't vote. %(column)s was drawn at random.", { column });
export const pickedWithYou = (column: number | string, share: string, others: string): string => t("Your team picked %(column)s: you and %(others)s more, %(share)s.", { column, others, share });
export const pickedByYou = (column: number | string, share: string): string => t("Your team picked %(column)s: you alone, %(share)s.", { column, share });
export const picked = (column: number | string, share: string, votes: string): string => t("Your team picked %(column)s with %(share)s (%(votes)s).", { column, share, votes });
export const both = (column: number, name: string): string => t("Both chose %(column)s. %(name)s has the token and drops first.", { column, name });
export const full = (column: number, name: string): string => t("Column %(column)s is full: %(name)s loses its drop.", { column, name });
export const tokenTo = (name: string): string => t("The token goes to %(name)s.", { name });
export const inColumn = (side: string, column: number): string => t("%(side)s in %(column)s", { side, column });
export const nextTurn: string = t("Next turn in a moment.");
export const bothLines: string = t("Four in a row for both");
export const nobodyWins: string = t("Nobody wins.");
export const wins = (name: string): string => t("%(name)s wins.", { name });
export const withTeam = (turns: number, of: number): string =>
  n("You were with your team in %(turns)s of %(count)s turn.", "You were with your team in %(turns)s of %(count)s turns.", of, { turns });
export const closedShape: string = p("shape", "closed");
export const sealedShape: string = p("shape", "sealed");
export const countedShape: string = p("shape", "counted");
export const over: string = p("shape", "over");
export const draw: string = p("shape", "draw");
export const won: string = p("shape", "won");
export const lost: string = p("shape", "lost");

// --- the board as text
export const board: string = t("Board");
export const column = (number: number): string => t("Column %(number)s", { number });
export const columnFull: string = p("column", "full");
export const heap = (height: number, rows: number): string => t("%(height)s of %(rows)s full", { height, rows });
export const fromBelow: string = t("from the bottom");
export const statuses: { idle: string; sending: string; counted: string; refused: string } = {
  idle: "",
  sending: t(", sending your choice"),
  counted: t(", your choice"),
  refused: t(", not counted"),
};
export const votes = (count: number): string => n("%(count)s vote", "%(count)s votes", count);
export const holdsToken: string = t("holds the token");

// --- the deferred part of the page
export const away: { [why in "elsewhere" | "noSeat" | "old" | "out" | "shut"]: readonly [title: string, text: string, label: string] } = {
  elsewhere: [t("Your seat is open in another window"), t("Your seat is kept. Only the newest windows stay connected."), t("Continue here")],
  noSeat: [t("This phone has no seat here"), t("Ask the organizers."), ""],
  old: [t("This page is out of date"), t("Reload it to continue."), t("Reload")],
  out: [t("You were removed"), t("An organizer removed you. Tap the button to rejoin. Your seat is kept."), t("Rejoin")],
  shut: [t("You are banned"), t("An organizer banned you, so you can't rejoin. If they lift the ban, this page rejoins by itself."), ""],
};
export const letBackIn: string = t("An organizer let you back in.");
export const codeUse: string = t("Organizers find this phone by its code.");
export const hall: string = t("Play one-on-one");
export const nowYou: string = t("Your turn");
export const story: string = t("The story so far");
export const notifyOfVotes: string = t("Notify me when a vote opens");
export const notifyMe: string = t("Notify me on my turn");
export const willNotify: string = t("You'll be notified while this page is open.");
export const cannotNotify: string = t("This browser can't notify you.");
export const rating: string = t("Rating");
export const rematch: string = t("Rematch");
export const rematchAccept: string = t("Accept the rematch");
export const rematchAsked: string = t("Rematch requested");

// --- what the players of a duel do, in the deferred part
export const duelActions: { [action in "resign" | "abort" | "draw" | "takeback"]: string } = {
  resign: t("Resign"),
  abort: t("Abort game"),
  draw: t("Offer a draw"),
  takeback: t("Ask to take back the turn"),
};
export const reallyDo: typeof duelActions = {
  resign: t("Really resign?"),
  abort: t("Really abort?"),
  draw: t("Really offer a draw?"),
  takeback: t("Ask to take back the turn"),
};
export const theyOffer: { [kind in "draw" | "takeback"]: string } = { draw: t("Your opponent offers a draw."), takeback: t("Your opponent asks to take back the last turn.") };
export const youOffered: typeof theyOffer = { draw: t("Draw offered"), takeback: t("Asked to take back") };
export const accept: string = t("Accept");
export const decline: string = t("Decline");
export const offerDeclined: string = t("Declined");
export const offerTooSoon: string = t("You can offer that again in a few turns.");
export const notPossibleNow: string = t("Not possible now.");
export const waits: string = t("No opponent yet. Share this link:");
export const gathers: string = t("Your crowd joins with this link. Start there:");
export const amidst = (name: string): string => t("You're in the crowd. %(name)s starts the match.", { name });
export const ofTwo: readonly [title: string, text: string, label: string] = [t("Game for two"), t("Take a seat or watch on the game's own page."), t("Open the game page")];
export const whose: string = t("Keep your seat or use this code?");
export const whoseText: string = t("This device already has a seat.");
export const asBefore: string = t("Keep seat");
export const withCode = (code: string): string => t("Use %(code)s", { code });
export const inSecret: string = t("Choose in secret.");
export const openly: string = t("Vote now: everyone sees it.");
export const theySecretly = (name: string): string => t("%(name)s chooses in secret. You're next.", { name });
export const theyOpenly = (name: string): string => t("%(name)s votes: everyone sees it.", { name });
export const allCounted = (good: number, votes: number, checked: number): string =>
  good > checked
    ? n("%(good)s of %(count)s vote counted, %(checked)s checked", "%(good)s of %(count)s votes counted, %(checked)s checked", votes, { good, checked })
    : n("%(good)s of %(count)s vote counted and checked", "%(good)s of %(count)s votes counted and checked", votes, { good });
export const countedAndChecked: string = t("Counted and checked");
export const oneByOne: string = t(": your choices, one by one");
export const findInCount: string = t("Find your votes in the full count");
export const voteIn = (turn: number, column: number | string): string => t("Turn %(turn)s, column %(column)s:", { turn, column });
export const codeAndSeal = (code: string, seal: string): string =>
  seal ? t("code %(code)s, seal %(seal)s", { code, seal }) : t("code %(code)s", { code });
export const findings: { [found in "checked" | "counted" | "elsewhere" | "unsure" | "late" | "missing" | "none"]: string } = {
  checked: t("counted and checked"),
  counted: t("counted; this phone didn't see the seal"),
  elsewhere: t("a later choice from another device was counted"),
  unsure: t("not checked: this phone was offline when the turn ended"),
  late: t("came too late"),
  missing: t("not in the count"),
  none: t("not checked yet"),
};
export const missing = (turn: number, column: number | string, code: string): string =>
  t("Your vote is missing from the count. Show this to the organizers: turn %(turn)s, column %(column)s, code %(code)s…", { turn, column, code });
export const sealsMatch = (count: number): string =>
  n("The %(count)s seal this phone received matches the published record.", "All %(count)s seals this phone received match the published record.", count);
export const sealsDiffer = (turns: string): string =>
  t("The published record differs from this phone's seals: turn %(turns)s. Keep this page open and show it to the organizers.", { turns });
export const votesReplaced = (turns: string): string =>
  t("The votes of turn %(turns)s were replaced, and this phone didn't see why. Keep this page open and show it to the organizers.", { turns });
export const sealsLogged: string = t("The server's log has them, too.");
export const logDiffers: string = t("The server's log contradicts what this phone saw. Keep this page open and show it to the organizers.");
export const logRestored: string = t("The server was restored from a backup. Its log says so.");
export const logReplaced: string = t("This server has begun a new log: a restored backup, or another computer at this address.");
export const logEvidence: string = t("Evidence for the witnesses");
export const sealedAgain: { [why in "time_added" | "box_lost"]: (turns: string) => string } = {
  time_added: (turns) => t("Turn %(turns)s was sealed again because time was added.", { turns }),
  box_lost: (turns) => t("Turn %(turns)s was sealed again because the ballot box was lost.", { turns }),
};
export const cardTitle: { won: string; lost: string; draw: string } = { won: t("We won!"), lost: t("Well fought"), draw: t("A draw") };
export const turnsVoted: string = t("turns voted");
export const agreement: string = t("with my team");
export const youCalled: string = t("I called the winning column");
export const save: string = t("Save as image");
export const close: string = t("Close");
export const agree: string = t("I agree");
export const disagree: string = t("If you do not agree, close this page.");

export const findDrop: string = t("Find my drop");
export const dropWaits = (symbol: string): string => t("%(symbol)s will mark your drop", { symbol });
export const yourDrop = (symbol: string, number: string): string => t("Yours is drop %(number)s %(symbol)s", { number, symbol });
export const dropFull: string = t("No more marks this turn");

// --- secret sides
export const mySide: string = t("My side");
export const look: string = t("Show for 3 seconds");
export const changeWhen: string = t("You can secretly switch sides between turns.");
export const remain: string = t("Stay");
export const changeOver: string = t("Switch");
export const noted: string = t("Saved. Look when nobody is watching.");
export const playsFor = (name: string): string => t("You play for %(name)s.", { name });
export const sideChangesLeft = (left: number): string => n("One change left.", "Changes left: %(count)s.", left);
export const notChanged: string = t("Your change came too late.");
export const endedWon: string = t("You ended on the winning side.");
export const endedLost: string = t("You ended on the losing side.");
export const endedDraw: string = t("It ended in a draw.");
export const points = (count: number): string => n("One point.", "%(count)s points.", count);
export const drawnTie: string = t("A tie, drawn at random");
export const picking = (column: number | string): string => t("Your team picked %(column)s.", { column });

// --- ballots of several columns, in the deferred part
export const chooseAll: string = t("Choose all you like.");
export const rankUp: string = t("Tap up to three, best first.");
export const countedSeveral = (column: string): string => t("Counted: %(column)s. Tap more, or tap again to undo.", { column });
export const inPlace = (place: number): string => t("choice %(place)s", { place });
export const givePoints: string = t("Tap to give points, up to 5 each.");
export const countedPoints = (column: string): string => t("Counted: %(column)s. Each tap adds 1; after 5 comes 0.", { column });
export const scored = (count: number): string => n("%(count)s point", "%(count)s points", count);
export const youGave = (count: number): string => n("you gave %(count)s point", "you gave %(count)s points", count);
export const pickedInRound = (column: string, round: number, share: string): string => t("Your team picked %(column)s in round %(round)s, with %(share)s.", { column, round, share });
export const weGaveUp: string = t("Your team gave up.");
export const gaveUp = (name: string): string => t("%(name)s gave up.", { name });
/** A full stop after a text. */
export const endSentence = (text: string): string => t("%(text)s.", { text });
export const giveUp: string = t("Vote to give up");
export const surelyGiveUp: string = t("Sure? Tap again");
export const takeBackWish: string = t("You voted to give up. Undo");
export const acceptDraw: string = t("Accept the draw");
export const weOfferDraw: string = t("Your team offers a draw");
export const theyOfferDraw = (name: string): string => t("%(name)s offers a draw", { name });
export const youDecideTies: string = t("You are the captain: you decide ties.");

// --- the sentences of a game for two, in the deferred part: they mention no team and no votes
export const forTwo = {
  theirTurn: (name: string): string => t("%(name)s is choosing. You're next.", { name }),
  elsewhere: t("Your choice on another device counts."),
  counted: (column: number | string): string => t("You chose %(column)s. You can still change it.", { column }),
  countedHidden: t("You chose. You can still change it."),
  sending: (column: number | string): string => t("Sending your choice: %(column)s…", { column }),
  notYet: (column: number | string): string => t("Not sent yet: %(column)s. We'll keep trying.", { column }),
  stands: (column: number | string): string => t("Your choice is still %(column)s.", { column }),
  voteKept: t("Your choice is kept."),
  sealed: t("The choices are sealed."),
  allCountedNow: t("Here it comes."),
  waitingForReceipt: t("Checking whether your choice arrived…"),
  notVoted: t("You didn't choose this time."),
  youVoted: (column: number | string): string => t("You chose %(column)s.", { column }),
  howVoted: t("What both chose"),
  noDrop: t("You didn't choose: you sit this turn out."),
  lot: (column: number | string): string => t("You didn't choose. %(column)s was drawn at random.", { column }),
  openly: t("Choose now: everyone sees it."),
  theyOpenly: (name: string): string => t("%(name)s chooses: everyone sees it.", { name }),
  unsureLast: t("Your last choice couldn't be checked."),
  missing: (turn: number, column: number | string, code: string): string =>
    t("Your choice is missing from the count: turn %(turn)s, column %(column)s, code %(code)s…", { turn, column, code }),
  won: t("You won!"),
};

// --- the discussion of a team
export const discussion: string = t("Team discussion");
export const discussionReaders: string = t("Only your team and the organizers see this.");
export const suggestions = (count: number): string => n("%(count)s suggestion", "%(count)s suggestions", count);
export const noSuggestions: string = t("No suggestions yet.");
export const earlierTurn: string = t("Previous turn");
export const agreeWith: string = p("button", "Agree");
export const report: string = p("button", "Report");
export const ownSuggestion: string = t("Your suggestion");
export const about: string = t("About a column?");
export const send: string = p("button", "Send");
export const writeLater: string = t("You can write before and during a vote.");
