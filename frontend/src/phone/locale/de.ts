import type { Admission, ErrorCode, Refusal } from "../../protocol";

export const code: string = "de";
export const own: string = "Deutsch";
export const pair: { red: string; yellow: string } = { red: "rot", yellow: "gelb" };
export const percentSign: string = "\u00a0%";

// --- joining
export const language: string = "Sprache";
export const typeBig: string = "Tippe den Code von der Leinwand ein";
export const typeFirst: string = "Tippe zuerst den Code ein.";
export const join: string = "Mitspielen";
export const noEvent = (code: string): string => `Es gibt keine Veranstaltung mit dem Code ${code}.`;
export const goingIn: string = "Du kommst rein";
export const manyPeople: string = "Gerade kommen viele";
export const yourTurn: string = "Gleich bist du dran. Du musst nichts drücken.";
export const reconnecting: string = "Verbinde neu";
export const chooseTeam: string = "Wähle dein Team";
export const team = (number: number): string => `Team ${number}`;
export const blockReasons: { [code in ErrorCode | "hands_only"]?: readonly [title: string, text: string] } = {
  lobby_closed: ["Gleich geht es auf", "Lass diese Seite offen: Du kommst von selbst hinein."],
  joining_locked: ["Gerade geschlossen", "Lass diese Seite offen: Du kommst von selbst hinein, sobald es aufgeht."],
  hands_only: ["Hände hoch!", "Beide Teams stimmen per Handzeichen ab. Schau auf die Leinwand, hier gibt es nichts zu drücken."],
};
export const asked: { [admission in Admission]: string } = {
  open: "Tippe den Code von der Leinwand ein",
  rotating: "Tippe den Code von der Leinwand ein",
  tickets: "Tippe den Code von deinem Ticket ein",
  roster: "Tippe deinen Code von der Klassenliste ein",
};
export const wrongOnScreen: string = "Der Code stimmt nicht, oder er hat gewechselt. Schau noch einmal auf die Leinwand.";
export const wrongOnPaper: string = "Diesen Code gibt es nicht. Schau ihn dir noch einmal an.";
export const keyUsed: string = "Mit diesem Code spielt schon ein anderes Handy. Frag die Veranstalter.";
export const oneDevice: string = "Eine Stimme pro Gerät, nicht pro Person. ";
export const kept: string = "Datenschutz";

// --- with a seat
export const youAre: string = "Du bist";
export const inTeam = (count: string): string => `${count} in deinem Team.`;
export const youAreIn: string = "Du bist dabei.";
export const soon: string = "Schau auf die Leinwand: Gleich beginnt das Spiel.";
export const cheer: string = "Tippe auf deine Form und feuere an.";
export const stopped: string = "Das Spiel wurde abgebrochen und zählt nicht. Bleib da: Dein Platz ist sicher.";
export const nextIn = (time: string): string => `Nächstes Spiel: noch ${time}`;
export const nextBegins: string = "Das nächste Spiel beginnt";
export const bestOf = (matches: number): string => `Best of ${matches}`;
export const peek: string = "Die Regie sieht die Stimmen";
export const hide: string = "Meine Stimme verbergen";
export const hideWord: string = "Verbergen";
export const otherTeam: string = "Du bist jetzt im anderen Team.";
export const yourVoterCode: string = "Deine Kennung";
export const card: string = "Mein Spiel";

// --- a turn
export const getReady: string = "Mach dich bereit: Gleich beginnt der erste Zug.";
export const talk: string = "Beratet euch.";
export const hands: string = "Dein Team stimmt per Handzeichen ab. Hände hoch!";
export const theirTurn = (name: string): string => `${name} stimmt ab. Dann seid ihr dran.`;
export const pick: string = "Wähle eine Spalte.";
export const choose: string = "Triff deine Wahl.";
export const elsewhere: string = "Eine spätere Stimme von einem anderen Gerät wurde gezählt.";
export const wasFor = (column: number | string): string => `Sie war für\u00a0${column}. Du kannst sie ändern.`;
export const counted = (column: number | string): string => `Gezählt: deine Stimme für\u00a0${column}. Du kannst sie noch ändern.`;
export const countedHidden: string = "Gezählt. Du kannst noch wechseln.";
export const sending = (column: number | string): string => `Deine Stimme für\u00a0${column} wird gesendet…`;
export const notYet = (column: number | string): string => `Noch nicht gezählt: deine Stimme für\u00a0${column}. Sie geht von selbst raus.`;
export const notCounted: string = "Nicht gezählt";
export const stands = (column: number | string): string => `Deine Stimme für\u00a0${column} gilt.`;
export const reasons: { [code in Refusal]: string } = {
  late: "zu spät",
  early: "zu früh",
  unknown: "sie ging verloren",
  stale: "eine neuere Stimme war schneller",
  no_such_turn: "dieser Zug ist vorbei",
  not_to_move: "dein Team ist nicht am Zug",
  illegal: "diese Spalte ist voll",
  busy: "gerade ist zu viel los",
};
export const paused: string = "Kurze Pause.";
export const voteKept: string = "Deine Stimme bleibt.";
export const timeIsUp: string = "Die Zeit ist um.";
export const sealed: string = "Versiegelt: Jetzt wird gezählt.";
export const allCountedNow: string = "Gezählt: Gleich ist es zu sehen.";
export const waitingForReceipt: string = "Gleich erfährst du, ob deine Stimme gezählt hat…";
export const notVoted: string = "Du hast diesmal nicht abgestimmt.";
export const youVoted = (column: number | string): string => `Du hast ${column} gewählt.`;
export const lateLast: string = "Dein letzter Tipp kam zu spät.";
export const unsureLast: string = "Deine letzte Stimme ließ sich nicht prüfen.";

// --- results
export const howVoted: string = "So haben beide Teams abgestimmt";
export const theyPicked = (name: string, column: number | string | null): string => `${name} hat ${column ?? "nichts"} gewählt.`;
export const noDrop: string = "Niemand aus deinem Team hat abgestimmt: Ihr setzt aus.";
export const lot = (column: number | string): string => `Niemand aus deinem Team hat abgestimmt. Das Los fiel auf ${column}.`;
export const pickedWithYou = (column: number | string, share: string, others: string): string => `Dein Team wählte ${column}: du und ${others} andere, ${share}.`;
export const pickedByYou = (column: number | string, share: string): string => `Dein Team wählte ${column}: du allein, ${share}.`;
export const picked = (column: number | string, share: string, votes: string): string => `Dein Team wählte ${column} mit ${share} (${votes}).`;
export const both = (column: number, name: string): string => `Beide wählten ${column}. ${name} hat die Münze und setzt zuerst.`;
export const full = (column: number, name: string): string => `Spalte ${column} ist voll: ${name} verliert den Zug.`;
export const tokenTo = (name: string): string => `Die Münze geht an ${name}.`;
export const inColumn = (side: string, column: number): string => `${side} in ${column}`;
export const nextTurn: string = "Gleich kommt der nächste Zug.";
export const nobodyWins: string = "Niemand gewinnt.";
export const wins = (name: string): string => `${name} gewinnt.`;
export const withTeam = (turns: number, of: number): string => `Du warst in ${turns} von ${of} ${of === 1 ? "Zug" : "Zügen"} mit deinem Team einig.`;
export const closedShape: string = "Schluss";
export const sealedShape: string = "zu";
export const countedShape: string = "gezählt";
export const over: string = "aus";
export const draw: string = "remis";
export const won: string = "Sieg";
export const lost: string = "verloren";

// --- the board as text
export const board: string = "Brett";
export const column = (number: number): string => `Spalte ${number}`;
export const columnFull: string = "voll";
export const heap = (height: number, rows: number): string => `${height} von ${rows} voll`;
export const fromBelow: string = "von unten";
export const statuses: { idle: string; sending: string; counted: string; refused: string } = {
  idle: "",
  sending: ", deine Stimme wird gesendet",
  counted: ", deine Stimme",
  refused: ", nicht gezählt",
};
export const votes = (count: number): string => `${count} ${count === 1 ? "Stimme" : "Stimmen"}`;
export const holdsToken: string = "hat die Münze";

// --- the deferred part of the page
export const away: { [why in "elsewhere" | "noSeat" | "old" | "out" | "shut"]: readonly [title: string, text: string, label: string] } = {
  elsewhere: ["Dein Platz ist in einem anderen Fenster offen", "Dein Platz ist sicher. Nur die neuesten Fenster bleiben im Spiel.", "Hier weiterspielen"],
  noSeat: ["Dieses Handy hat hier keinen Platz", "Frag die Veranstalter.", ""],
  old: ["Diese Seite ist veraltet", "Lade sie neu, dann geht es weiter.", "Neu laden"],
  out: ["Du wurdest entfernt", "Du kannst wieder mitspielen; dein Platz ist noch da.", "Wieder mitspielen"],
  shut: ["Du bist gesperrt", "Frag die Veranstalter.", "Noch einmal versuchen"],
};
export const hall: string = "Eins gegen eins spielen";
export const nowYou: string = "Du bist dran";
export const notifyMe: string = "Sag mir, wenn ich dran bin";
export const willNotify: string = "Du erfährst es, solange diese Seite offen ist.";
export const cannotNotify: string = "Keine Mitteilungen in diesem Browser.";
export const rating: string = "Wertung";
export const rematch: string = "Revanche";
export const rematchAccept: string = "Revanche annehmen";
export const rematchAsked: string = "Revanche angefragt";
export const waits: string = "Noch spielt niemand gegen dich. Gib diesen Link weiter:";
export const gathers: string = "Über diesen Link kommt deine Menge. Starte auf seiner Seite:";
export const amidst = (name: string): string => `Du bist in der Menge. ${name} startet das Spiel.`;
export const ofTwo: readonly [title: string, text: string, label: string] = ["Ein Spiel zu zweit", "Die Plätze vergibt die Seite des Spiels. Dort kannst du auch zusehen.", "Zur Seite des Spiels"];
export const whose: string = "Weiter wie vorher oder mit diesem Code?";
export const whoseText: string = "Dieses Gerät hat schon einen Platz.";
export const asBefore: string = "Wie vorher";
export const withCode = (code: string): string => `Mit ${code}`;
export const inSecret: string = "Wähle im Geheimen.";
export const openly: string = "Jetzt ihr: alle sehen es.";
export const theySecretly = (name: string): string => `${name} wählt im Geheimen. Dann seid ihr dran.`;
export const theyOpenly = (name: string): string => `${name} stimmt ab: alle sehen es.`;
export const allCounted = (good: number, votes: number, checked: number): string =>
  `${good} von ${votes} ${votes === 1 ? "Stimme" : "Stimmen"} gezählt${good > checked ? `, ${checked} geprüft` : " und geprüft"}`;
export const countedAndChecked: string = "Gezählt und geprüft";
export const oneByOne: string = ": deine Stimmen einzeln";
export const wholeCount: readonly [before: string, link: string, after: string] = ["Code und Siegel finden deine Stimme in der ", "ganzen Zählung", "."];
export const voteIn = (turn: number, column: number | string): string => `Zug ${turn}, Spalte ${column}:`;
export const codeAndSeal = (code: string, seal: string): string => `Code ${code}${seal && `, Siegel ${seal}`}`;
export const findings: { [found in "checked" | "counted" | "elsewhere" | "unsure" | "late" | "missing" | "none"]: string } = {
  checked: "gezählt und geprüft",
  counted: "gezählt; dieses Handy hat das Siegel nicht gesehen",
  elsewhere: "eine spätere Stimme von einem anderen Gerät wurde gezählt",
  unsure: "nicht geprüft: Handy war offline, als der Zug endete",
  late: "kam zu spät",
  missing: "nicht in der Zählung",
  none: "noch nicht geprüft",
};
export const missing = (turn: number, column: number | string, code: string): string =>
  `Deine Stimme fehlt in der Zählung. Zeig das den Veranstaltern: Zug ${turn}, Spalte ${column}, Code ${code}…`;
export const cardTitle: { won: string; lost: string; draw: string } = { won: "Gewonnen!", lost: "Gut gekämpft", draw: "Unentschieden" };
export const turnsVoted: string = "Züge abgestimmt";
export const agreement: string = "mit meinem Team";
export const youCalled: string = "Ich habe die Siegspalte gewählt";
export const save: string = "Als Bild sichern";
export const close: string = "Schließen";

export const findDrop: string = "Meinen Tropfen finden";
export const dropWaits = (symbol: string): string => `${symbol} zeigt deinen Tropfen`;
export const yourDrop = (symbol: string, number: string): string => `Deiner ist Tropfen ${number} ${symbol}`;
export const dropFull: string = "In diesem Zug keine Zeichen mehr";

// --- secret sides
export const mySide: string = "Meine Seite";
export const look: string = "Ansehen, drei Sekunden lang";
export const changeWhen: string = "Zwischen zwei Zügen darfst du heimlich wechseln.";
export const remain: string = "Hier bleiben";
export const changeOver: string = "Wechseln";
export const noted: string = "Notiert. Sieh wieder nach, wenn niemand zusieht.";
export const playsFor = (name: string): string => `Du spielst für ${name}.`;
export const sideChangesLeft = (left: number): string => left === 1 ? "Noch ein Wechsel." : `Wechsel übrig: ${left}.`;
export const notChanged: string = "Dein Wechsel kam zu spät.";
export const endedWon: string = "Am Ende warst du bei den Siegern.";
export const endedLost: string = "Am Ende warst du bei den Verlierern.";
export const endedDraw: string = "Es endet unentschieden.";
export const points = (count: number): string => count === 1 ? "Ein Punkt." : `${count} Punkte.`;
export const picking = (column: number | string): string => `Dein Team hat ${column} gewählt.`;

// --- ballots of several columns, in the deferred part
export const chooseAll: string = "Wähle alle, die du gut findest.";
export const rankUp: string = "Tippe bis zu drei, die beste zuerst.";
export const countedSeveral = (column: string): string => `Gezählt: ${column}. Tippe mehr, oder eine nochmals, um sie zu lösen.`;
export const inPlace = (place: number): string => `${place}. Wahl`;
export const givePoints: string = "Tippe, um je bis zu 5 Punkte zu geben.";
export const countedPoints = (column: string): string => `Gezählt: ${column}. Jedes Tippen +1, nach 5 kommt 0.`;
export const scored = (count: number): string => `${count} ${count === 1 ? "Punkt" : "Punkte"}`;
export const youGave = (count: number): string => `von dir ${scored(count)}`;
export const pickedInRound = (column: string, round: number, share: string): string => `Dein Team wählte ${column} in Runde ${round}, mit ${share}.`;
export const weGaveUp: string = "Dein Team hat aufgegeben.";
export const gaveUp = (name: string): string => `${name} hat aufgegeben.`;
export const giveUp: string = "Fürs Aufgeben stimmen";
export const surelyGiveUp: string = "Sicher? Nochmals drücken";
export const takeBackWish: string = "Du stimmst fürs Aufgeben. Zurück";
export const youDecideTies: string = "Du bist Kapitän: bei Gleichstand entscheidest du.";
