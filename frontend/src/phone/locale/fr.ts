import type { Admission, ErrorCode, Refusal } from "../../protocol";

export const code: string = "fr";
export const own: string = "Français";
export const pair: { red: string; yellow: string } = { red: "rouge", yellow: "jaune" };
export const percentSign: string = "\u00a0%";

// --- joining
export const language: string = "Langue";
export const typeBig: string = "Tape le code du grand écran";
export const typeFirst: string = "Tape d’abord le code.";
export const join: string = "Jouer";
export const noEvent = (code: string): string => `Il n’y a pas d’événement avec le code ${code}.`;
export const goingIn: string = "Tu entres";
export const manyPeople: string = "Beaucoup de monde arrive";
export const yourTurn: string = "C’est à toi dans un instant. Tu n’as rien à toucher.";
export const reconnecting: string = "Reconnexion";
export const chooseTeam: string = "Choisis ton équipe";
export const team = (number: number): string => `Équipe ${number}`;
export const blockReasons: { [code in ErrorCode | "hands_only"]?: readonly [title: string, text: string] } = {
  lobby_closed: ["On ouvre bientôt", "Garde cette page\u00a0: tu entreras sans rien faire."],
  joining_locked: ["C’est fermé", "Garde cette page\u00a0: tu entreras sans rien faire dès l’ouverture."],
  hands_only: ["Mains en l’air\u00a0!", "Les deux équipes votent à main levée. Regarde le grand écran\u00a0: ici, rien à toucher."],
};
export const asked: { [admission in Admission]: string } = {
  open: "Tape le code de l’écran",
  rotating: "Tape le code de l’écran",
  tickets: "Tape le code de ton billet",
  roster: "Tape ton code de la liste de classe",
};
export const wrongOnScreen: string = "Ce code n’est pas le bon, ou il a changé. Regarde encore l’écran.";
export const wrongOnPaper: string = "Ce code n’existe pas. Regarde-le encore.";
export const keyUsed: string = "Ce code sert déjà sur un autre téléphone. Demande aux organisateurs.";
export const oneDevice: string = "Une voix par appareil, pas par personne. ";
export const kept: string = "Confidentialité";

// --- with a seat
export const youAre: string = "Tu es avec";
export const inTeam = (count: string): string => `${count} dans ton équipe.`;
export const youAreIn: string = "Tu y es.";
export const soon: string = "Regarde le grand écran\u00a0: la partie va commencer.";
export const cheer: string = "Touche ta forme pour encourager.";
export const stopped: string = "La partie a été arrêtée et ne compte pas. Reste\u00a0: ta place est gardée.";
export const nextIn = (time: string): string => `Prochaine partie dans ${time}`;
export const nextBegins: string = "La prochaine partie commence";
export const bestOf = (matches: number): string => `Au meilleur des ${matches}`;
export const peek: string = "La régie voit les votes";
export const hide: string = "Cacher mon vote";
export const hideWord: string = "Cacher";
export const otherTeam: string = "Tu es maintenant dans l’autre équipe.";
export const yourVoterCode: string = "Ton ID";
export const card: string = "Ma partie";

// --- a turn
export const getReady: string = "Prépare-toi\u00a0: le premier tour va commencer.";
export const talk: string = "Parlez-en.";
export const hands: string = "Ton équipe vote à main levée. Mains en l’air\u00a0!";
export const theirTurn = (name: string): string => `${name} vote. Ensuite, c’est à vous.`;
export const pick: string = "Choisis une colonne.";
export const choose: string = "Fais ton choix.";
export const elsewhere: string = "Un vote plus récent d’un autre appareil a été compté.";
export const wasFor = (column: number | string): string => `C’était pour la\u00a0${column}. Tu peux changer.`;
export const counted = (column: number | string): string => `Compté\u00a0: ton vote pour la\u00a0${column}. Tu peux encore changer.`;
export const countedHidden: string = "Compté. Tu peux encore changer.";
export const sending = (column: number | string): string => `Envoi de ton vote pour la\u00a0${column}…`;
export const notYet = (column: number | string): string => `Pas encore compté\u00a0: ton vote pour la\u00a0${column}. Il part tout seul.`;
export const notCounted: string = "Pas compté";
export const stands = (column: number | string): string => `Ton vote pour la\u00a0${column} reste valable.`;
export const reasons: { [code in Refusal]: string } = {
  late: "trop tard",
  early: "trop tôt",
  unknown: "il s’est perdu",
  stale: "un vote plus récent est arrivé avant",
  no_such_turn: "ce tour est fini",
  not_to_move: "ce n’est pas à ton équipe",
  illegal: "cette colonne est pleine",
  busy: "trop de monde à la fois",
};
export const paused: string = "Petite pause.";
export const voteKept: string = "Ton vote est gardé.";
export const timeIsUp: string = "C’est fini.";
export const sealed: string = "C’est scellé : on compte les votes.";
export const allCountedNow: string = "C’est compté : voici les votes.";
export const waitingForReceipt: string = "On attend de savoir si ton vote a compté…";
export const notVoted: string = "Tu n’as pas voté cette fois.";
export const youVoted = (column: number | string): string => `Tu as voté ${column}.`;
export const lateLast: string = "Ton dernier vote est arrivé trop tard.";
export const unsureLast: string = "Ton dernier vote n’a pas pu être vérifié.";

// --- results
export const howVoted: string = "Les votes des deux équipes";
export const theyPicked = (name: string, column: number | string | null): string => (column === null ? `${name} n’a rien choisi.` : `${name} a choisi la ${column}.`);
export const noDrop: string = "Personne n’a voté dans ton équipe\u00a0: vous passez.";
export const lot = (column: number | string): string => `Personne n’a voté dans ton équipe. Le sort a choisi la ${column}.`;
export const pickedWithYou = (column: number | string, share: string, others: string): string => `Ton équipe a choisi la ${column}\u00a0: toi et ${others} de plus, ${share}.`;
export const pickedByYou = (column: number | string, share: string): string => `Ton équipe a choisi la ${column}\u00a0: toi, et personne d’autre, ${share}.`;
export const picked = (column: number | string, share: string, votes: string): string => `Ton équipe a choisi la ${column} à ${share} (${votes}).`;
export const both = (column: number, name: string): string => `Les deux ont choisi la ${column}. ${name} a le jeton et joue d’abord.`;
export const full = (column: number, name: string): string => `La colonne ${column} est pleine\u00a0: ${name} perd son tour.`;
export const tokenTo = (name: string): string => `Le jeton passe à ${name}.`;
export const inColumn = (side: string, column: number): string => `${side} en ${column}`;
export const nextTurn: string = "Prochain tour dans un instant.";
export const nobodyWins: string = "Personne ne gagne.";
export const wins = (name: string): string => `${name} gagne.`;
export const withTeam = (turns: number, of: number): string => `Tu étais d’accord avec ton équipe à ${turns} ${turns > 1 ? "tours" : "tour"} sur ${of}.`;
export const closedShape: string = "fermé";
export const sealedShape: string = "scellé";
export const countedShape: string = "compté";
export const over: string = "fini";
export const draw: string = "égalité";
export const won: string = "gagné";
export const lost: string = "perdu";

// --- the board as text
export const board: string = "Plateau";
export const column = (number: number): string => `Colonne ${number}`;
export const columnFull: string = "pleine";
export const heap = (height: number, rows: number): string => `${height} sur ${rows}`;
export const fromBelow: string = "depuis le bas";
export const statuses: { idle: string; sending: string; counted: string; refused: string } = {
  idle: "",
  sending: ", envoi de ton vote",
  counted: ", ton vote",
  refused: ", pas compté",
};
export const votes = (count: number): string => `${count} voix`;
export const holdsToken: string = "a le jeton";

// --- the deferred part of the page
export const away: { [why in "elsewhere" | "noSeat" | "old" | "out" | "shut"]: readonly [title: string, text: string, label: string] } = {
  elsewhere: ["Ta place est ouverte dans une autre fenêtre", "Ta place est gardée. Seules les fenêtres les plus récentes restent en jeu.", "Continuer ici"],
  noSeat: ["Ce téléphone n’a pas de place ici", "Demande aux organisateurs.", ""],
  old: ["Cette page est trop vieille", "Recharge-la pour continuer.", "Recharger"],
  out: ["On t’a fait sortir", "Tu peux revenir\u00a0: ta place est gardée.", "Revenir"],
  shut: ["Accès bloqué", "Demande aux organisateurs.", "Réessayer"],
};
export const hall: string = "Jouer à un contre un";
export const nowYou: string = "À toi de jouer";
export const notifyMe: string = "Préviens-moi quand c’est à moi";
export const willNotify: string = "Tu seras prévenu tant que cette page est ouverte.";
export const cannotNotify: string = "Ce navigateur ne te préviendra pas.";
export const rating: string = "Cote";
export const rematch: string = "Revanche";
export const rematchAccept: string = "Accepter la revanche";
export const rematchAsked: string = "Revanche demandée";
export const waits: string = "Personne ne joue encore contre toi. Donne ce lien\u00a0:";
export const gathers: string = "Ta foule vient par ce lien. Lance la partie sur sa page\u00a0:";
export const amidst = (name: string): string => `Tu es dans la foule. ${name} lance la partie.`;
export const ofTwo: readonly [title: string, text: string, label: string] = ["Une partie à deux", "Les places se prennent sur la page de la partie. On peut aussi y regarder.", "Vers la page de la partie"];
export const whose: string = "Continuer comme avant, ou avec ce code\u00a0?";
export const whoseText: string = "Cet appareil a déjà une place.";
export const asBefore: string = "Comme avant";
export const withCode = (code: string): string => `Avec ${code}`;
export const inSecret: string = "Choisis en secret.";
export const openly: string = "À vous\u00a0: tout le monde le voit.";
export const theySecretly = (name: string): string => `${name} choisit en secret. Ensuite, c’est à vous.`;
export const theyOpenly = (name: string): string => `${name} vote\u00a0: tout le monde le voit.`;
export const allCounted = (good: number, votes: number, checked: number): string =>
  `${good} ${good > 1 ? "votes comptés" : "vote compté"} sur ${votes}${good > checked ? `, ${checked} vérifié${checked > 1 ? "s" : ""}` : good > 1 ? " et vérifiés" : " et vérifié"}`;
export const countedAndChecked: string = "Compté et vérifié";
export const oneByOne: string = "\u00a0: tes votes, un par un";
export const wholeCount: readonly [before: string, link: string, after: string] = ["Avec le code et le sceau, retrouve ton vote dans ", "le compte complet", "."];
export const voteIn = (turn: number, column: number | string): string => `Tour ${turn}, colonne ${column}\u00a0:`;
export const codeAndSeal = (code: string, seal: string): string => `code ${code}${seal && `, sceau ${seal}`}`;
export const findings: { [found in "checked" | "counted" | "elsewhere" | "unsure" | "late" | "missing" | "none"]: string } = {
  checked: "compté et vérifié",
  counted: "compté\u00a0; ce téléphone n’a pas vu le sceau",
  elsewhere: "un vote plus récent d’un autre appareil a été compté",
  unsure: "pas vérifié\u00a0: téléphone hors ligne à la fin du tour",
  late: "arrivé trop tard",
  missing: "absent du compte",
  none: "pas encore vérifié",
};
export const missing = (turn: number, column: number | string, code: string): string =>
  `Ton vote est introuvable dans le compte. Montre ceci aux organisateurs\u00a0: tour ${turn}, colonne ${column}, code ${code}…`;
export const cardTitle: { won: string; lost: string; draw: string } = { won: "Gagné\u00a0!", lost: "Bien joué", draw: "Égalité" };
export const turnsVoted: string = "tours votés";
export const agreement: string = "avec mon équipe";
export const youCalled: string = "J’ai trouvé la colonne gagnante";
export const save: string = "Enregistrer l’image";
export const close: string = "Fermer";

export const findDrop: string = "Trouver ma goutte";
export const dropWaits = (symbol: string): string => `${symbol} indiquera votre goutte`;
export const yourDrop = (symbol: string, number: string): string => `La vôtre est la goutte ${number} ${symbol}`;
export const dropFull: string = "Plus de marques à ce tour";

// --- secret sides
export const mySide: string = "Mon camp";
export const look: string = "Regarder, trois secondes";
export const changeWhen: string = "Entre deux tours, tu peux changer de camp en secret.";
export const remain: string = "Rester";
export const changeOver: string = "Changer";
export const noted: string = "C’est noté. Regarde encore quand personne ne regarde.";
export const playsFor = (name: string): string => `Tu joues pour ${name}.`;
export const sideChangesLeft = (left: number): string => left === 1 ? "Encore un changement." : `Changements restants\u00a0: ${left}.`;
export const notChanged: string = "Ton changement est arrivé trop tard.";
export const endedWon: string = "Tu finis dans le camp des gagnants.";
export const endedLost: string = "Tu finis dans le camp des perdants.";
export const endedDraw: string = "Match nul.";
export const points = (count: number): string => count === 1 ? "Un point." : `${count} points.`;
export const picking = (column: number | string): string => `Ton équipe a choisi ${column}.`;

// --- ballots of several columns, in the deferred part
export const chooseAll: string = "Choisis toutes celles qui te plaisent.";
export const rankUp: string = "Touche jusqu’à trois, la meilleure d’abord.";
export const countedSeveral = (column: string): string => `Compté\u00a0: ${column}. Touches-en d’autres, ou une encore pour l’ôter.`;
export const inPlace = (place: number): string => `choix ${place}`;
export const givePoints: string = "Touche pour donner des points, jusqu’à 5 chacune.";
export const countedPoints = (column: string): string => `Compté\u00a0: ${column}. Chaque appui\u00a0: +1, après 5\u00a0: 0.`;
export const scored = (count: number): string => `${count} ${count === 1 ? "point" : "points"}`;
export const youGave = (count: number): string => `tu as donné ${scored(count)}`;
export const pickedInRound = (column: string, round: number, share: string): string => `Ton équipe a choisi la ${column} au tour ${round}, à ${share}.`;
export const weGaveUp: string = "Ton équipe abandonne.";
export const gaveUp = (name: string): string => `${name} abandonne.`;
export const giveUp: string = "Voter l’abandon";
export const surelyGiveUp: string = "Sûr\u00a0? Appuie encore";
export const takeBackWish: string = "Tu votes l’abandon. Annuler";
export const youDecideTies: string = "Tu es capitaine\u00a0: tu tranches les égalités.";
