import type { Admission, ErrorCode, Refusal } from "../../protocol";

export const code: string = "es";
export const own: string = "Español";
export const pair: { red: string; yellow: string } = { red: "roja", yellow: "amarilla" };
export const percentSign: string = "\u00a0%";

// --- joining
export const language: string = "Idioma";
export const typeBig: string = "Escribe el código de la pantalla grande";
export const typeFirst: string = "Escribe primero el código.";
export const join: string = "Entrar";
export const noEvent = (code: string): string => `No hay ningún evento con el código ${code}.`;
export const goingIn: string = "Entrando";
export const manyPeople: string = "Está entrando mucha gente";
export const yourTurn: string = "Te toca en un momento. No hay que pulsar nada.";
export const reconnecting: string = "Reconectando";
export const chooseTeam: string = "Elige tu equipo";
export const team = (number: number): string => `Equipo ${number}`;
export const blockReasons: { [code in ErrorCode | "hands_only"]?: readonly [title: string, text: string] } = {
  lobby_closed: ["Abrimos enseguida", "Deja esta página abierta: entrarás sin hacer nada."],
  joining_locked: ["Ahora está cerrado", "Deja esta página abierta: entrarás sin hacer nada cuando se abra."],
  hands_only: ["¡Manos arriba!", "Los dos equipos votan a mano alzada. Mira la pantalla grande: aquí no hay que pulsar nada."],
};
export const asked: { [admission in Admission]: string } = {
  open: "Escribe el código de la pantalla",
  rotating: "Escribe el código de la pantalla",
  tickets: "Escribe el código de tu entrada",
  roster: "Escribe tu código de la lista de clase",
};
export const wrongOnScreen: string = "El código no es correcto o ha cambiado. Mira otra vez la pantalla.";
export const wrongOnPaper: string = "Ese código no existe. Míralo otra vez.";
export const keyUsed: string = "Este código ya se usa en otro móvil. Pregunta a los organizadores.";
export const oneDevice: string = "Un voto por dispositivo, no por persona. ";
export const kept: string = "Privacidad";

// --- with a seat
export const youAre: string = "Eres de";
export const inTeam = (count: string): string => `${count} en tu equipo.`;
export const youAreIn: string = "Ya estás dentro.";
export const soon: string = "Mira la pantalla grande: la partida está a punto de empezar.";
export const cheer: string = "Pulsa tu figura para animar en la pantalla.";
export const stopped: string = "La partida se ha parado y no cuenta. Quédate: tu sitio sigue siendo tuyo.";
export const nextIn = (time: string): string => `Próxima partida en ${time}`;
export const nextBegins: string = "Empieza la próxima partida";
export const bestOf = (matches: number): string => `Al mejor de ${matches}`;
export const peek: string = "Los organizadores ven los votos";
export const hide: string = "Ocultar mi voto";
export const hideWord: string = "Ocultar";
export const otherTeam: string = "Ahora estás en el otro equipo.";
export const yourVoterCode: string = "Tu ID";
export const card: string = "Mi partida";

// --- a turn
export const getReady: string = "Prepárate: va a empezar el primer turno.";
export const talk: string = "Habladlo.";
export const hands: string = "Tu equipo vota a mano alzada. ¡Manos arriba!";
export const theirTurn = (name: string): string => `Vota ${name}. Luego os toca.`;
export const pick: string = "Elige una columna.";
export const choose: string = "Elige.";
export const elsewhere: string = "Se ha contado un voto posterior desde otro dispositivo.";
export const wasFor = (column: number | string): string => `Era para la\u00a0${column}. Puedes cambiarlo.`;
export const counted = (column: number | string): string => `Contado: tu voto para la\u00a0${column}. Aún puedes cambiarlo.`;
export const countedHidden: string = "Contado. Aún puedes cambiarlo.";
export const sending = (column: number | string): string => `Enviando tu voto para la\u00a0${column}…`;
export const notYet = (column: number | string): string => `Aún sin contar: tu voto para la\u00a0${column}. Se enviará solo.`;
export const notCounted: string = "No contado";
export const stands = (column: number | string): string => `Vale tu voto para la\u00a0${column}.`;
export const reasons: { [code in Refusal]: string } = {
  late: "demasiado tarde",
  early: "demasiado pronto",
  unknown: "se ha perdido",
  stale: "llegó antes un voto más nuevo",
  no_such_turn: "este turno ha terminado",
  not_to_move: "no le toca a tu equipo",
  illegal: "esta columna está llena",
  busy: "hay demasiado movimiento",
};
export const paused: string = "Una pequeña pausa.";
export const voteKept: string = "Tu voto se guarda.";
export const timeIsUp: string = "Se acabó el tiempo.";
export const sealed: string = "Sellado: se están contando los votos.";
export const allCountedNow: string = "Contado: enseguida se ve.";
export const waitingForReceipt: string = "Esperando a saber si tu voto ha contado…";
export const notVoted: string = "Esta vez no has votado.";
export const youVoted = (column: number | string): string => `Has votado la ${column}.`;
export const lateLast: string = "Tu última pulsación llegó tarde.";
export const unsureLast: string = "No se pudo comprobar tu último voto.";

// --- results
export const howVoted: string = "Así han votado los dos equipos";
export const theyPicked = (name: string, column: number | string | null): string => (column === null ? `${name} no ha elegido nada.` : `${name} ha elegido la ${column}.`);
export const noDrop: string = "Nadie de tu equipo ha votado: esta vez no jugáis.";
export const lot = (column: number | string): string => `Nadie de tu equipo ha votado. El azar eligió la ${column}.`;
export const pickedWithYou = (column: number | string, share: string, others: string): string => `Tu equipo eligió la ${column}: tú y ${others} más, ${share}.`;
export const pickedByYou = (column: number | string, share: string): string => `Tu equipo eligió la ${column}: solo tú, ${share}.`;
export const picked = (column: number | string, share: string, votes: string): string => `Tu equipo eligió la ${column} con el ${share} (${votes}).`;
export const both = (column: number, name: string): string => `Los dos eligieron la ${column}. ${name} tiene la ficha y suelta primero.`;
export const full = (column: number, name: string): string => `La columna ${column} está llena: ${name} pierde su bola.`;
export const tokenTo = (name: string): string => `La ficha pasa a ${name}.`;
export const inColumn = (side: string, column: number): string => `${side} en la ${column}`;
export const nextTurn: string = "Enseguida, el próximo turno.";
export const nobodyWins: string = "No gana nadie.";
export const wins = (name: string): string => `¡Gana ${name}!`;
export const withTeam = (turns: number, of: number): string => `Coincidiste con tu equipo en ${turns} de ${of} ${of === 1 ? "turno" : "turnos"}.`;
export const closedShape: string = "cerrado";
export const sealedShape: string = "sellado";
export const countedShape: string = "contado";
export const over: string = "fin";
export const draw: string = "empate";
export const won: string = "victoria";
export const lost: string = "derrota";

// --- the board as text
export const board: string = "Tablero";
export const column = (number: number): string => `Columna ${number}`;
export const columnFull: string = "llena";
export const heap = (height: number, rows: number): string => `${height} de ${rows} ocupadas`;
export const fromBelow: string = "desde abajo";
export const statuses: { idle: string; sending: string; counted: string; refused: string } = {
  idle: "",
  sending: ", enviando tu voto",
  counted: ", tu voto",
  refused: ", no contado",
};
export const votes = (count: number): string => `${count} ${count === 1 ? "voto" : "votos"}`;
export const holdsToken: string = "tiene la ficha";

// --- the deferred part of the page
export const away: { [why in "elsewhere" | "noSeat" | "old" | "out" | "shut"]: readonly [title: string, text: string, label: string] } = {
  elsewhere: ["Tu sitio está abierto en otra ventana", "Tu sitio sigue siendo tuyo. Solo juegan las ventanas más nuevas.", "Seguir aquí"],
  noSeat: ["Este móvil no tiene sitio aquí", "Pregunta a los organizadores.", ""],
  old: ["Esta página es antigua", "Cárgala de nuevo para seguir.", "Cargar de nuevo"],
  out: ["Te han sacado", "Puedes volver a entrar; tu sitio sigue ahí.", "Volver a entrar"],
  shut: ["Acceso bloqueado", "Pregunta a los organizadores.", "Probar otra vez"],
};
export const hall: string = "Jugar uno contra uno";
export const nowYou: string = "Te toca";
export const notifyMe: string = "Avísame cuando me toque";
export const willNotify: string = "Se te avisará mientras esta página esté abierta.";
export const cannotNotify: string = "Este navegador no te avisa.";
export const rating: string = "Puntos";
export const rematch: string = "Revancha";
export const rematchAccept: string = "Aceptar revancha";
export const rematchAsked: string = "Revancha pedida";
export const waits: string = "Aún no hay nadie contra quien jugar. Pasa este enlace:";
export const gathers: string = "Tu multitud entra por este enlace. Empieza en su página:";
export const amidst = (name: string): string => `Estás en la multitud. ${name} inicia la partida.`;
export const ofTwo: readonly [title: string, text: string, label: string] = ["Una partida de dos", "Los sitios se dan en la página de la partida. Allí también puedes mirar.", "A la página de la partida"];
export const whose: string = "¿Seguir como antes o con este código?";
export const whoseText: string = "Este dispositivo ya tiene un sitio.";
export const asBefore: string = "Como antes";
export const withCode = (code: string): string => `Con ${code}`;
export const inSecret: string = "Elige en secreto.";
export const openly: string = "Ahora vosotros: todos lo ven.";
export const theySecretly = (name: string): string => `${name} elige en secreto. Luego os toca.`;
export const theyOpenly = (name: string): string => `Vota ${name}: todos lo ven.`;
export const allCounted = (good: number, votes: number, checked: number): string =>
  `${good} de ${votes} ${votes === 1 ? "voto contado" : "votos contados"}${good > checked ? `, ${checked} comprobados` : votes === 1 ? " y comprobado" : " y comprobados"}`;
export const countedAndChecked: string = "Contado y comprobado";
export const oneByOne: string = ": tus votos, uno a uno";
export const wholeCount: readonly [before: string, link: string, after: string] = ["Con el código y el sello encuentras tu voto en ", "el recuento completo", "."];
export const voteIn = (turn: number, column: number | string): string => `Turno ${turn}, columna ${column}:`;
export const codeAndSeal = (code: string, seal: string): string => `código ${code}${seal && `, sello ${seal}`}`;
export const findings: { [found in "checked" | "counted" | "elsewhere" | "unsure" | "late" | "missing" | "none"]: string } = {
  checked: "contado y comprobado",
  counted: "contado; este móvil no vio el sello",
  elsewhere: "se contó un voto posterior desde otro dispositivo",
  unsure: "sin comprobar: este móvil no tenía conexión al acabar el turno",
  late: "llegó tarde",
  missing: "no está en el recuento",
  none: "aún sin comprobar",
};
export const missing = (turn: number, column: number | string, code: string): string =>
  `Tu voto no aparece en el recuento. Enséñaselo a los organizadores: turno ${turn}, columna ${column}, código ${code}…`;
export const cardTitle: { won: string; lost: string; draw: string } = { won: "¡Hemos ganado!", lost: "Bien peleado", draw: "Empate" };
export const turnsVoted: string = "turnos votados";
export const agreement: string = "con mi equipo";
export const youCalled: string = "Acerté la columna ganadora";
export const save: string = "Guardar como imagen";
export const close: string = "Cerrar";

export const findDrop: string = "Buscar mi gota";
export const dropWaits = (symbol: string): string => `${symbol} marcará tu gota`;
export const yourDrop = (symbol: string, number: string): string => `La tuya es la gota ${number} ${symbol}`;
export const dropFull: string = "No hay más marcas este turno";

// --- secret sides
export const mySide: string = "Mi bando";
export const look: string = "Mirar, tres segundos";
export const changeWhen: string = "Entre dos turnos puedes cambiar de bando en secreto.";
export const remain: string = "Quedarme";
export const changeOver: string = "Cambiar";
export const noted: string = "Anotado. Míralo otra vez cuando nadie mire.";
export const playsFor = (name: string): string => `Juegas con ${name}.`;
export const sideChangesLeft = (left: number): string => left === 1 ? "Te queda un cambio." : `Cambios que quedan: ${left}.`;
export const notChanged: string = "Tu cambio llegó tarde.";
export const endedWon: string = "Acabaste en el bando ganador.";
export const endedLost: string = "Acabaste en el bando perdedor.";
export const endedDraw: string = "Acabó en empate.";
export const points = (count: number): string => count === 1 ? "Un punto." : `${count} puntos.`;
export const picking = (column: number | string): string => `Tu equipo eligió ${column}.`;

// --- ballots of several columns, in the deferred part
export const chooseAll: string = "Elige todas las que te gusten.";
export const rankUp: string = "Toca hasta tres, la mejor primero.";
export const countedSeveral = (column: string): string => `Contado: ${column}. Toca más, o una otra vez para quitarla.`;
export const inPlace = (place: number): string => `opción ${place}`;
export const givePoints: string = "Toca para dar puntos, hasta 5 a cada una.";
export const countedPoints = (column: string): string => `Contado: ${column}. Cada toque suma 1; tras 5, cero.`;
export const scored = (count: number): string => `${count} ${count === 1 ? "punto" : "puntos"}`;
export const youGave = (count: number): string => `le diste ${scored(count)}`;
export const pickedInRound = (column: string, round: number, share: string): string => `Tu equipo eligió la ${column} en la ronda ${round}, con el ${share}.`;
export const weGaveUp: string = "Tu equipo se rinde.";
export const gaveUp = (name: string): string => `${name} se rinde.`;
export const giveUp: string = "Votar por rendirse";
export const surelyGiveUp: string = "¿Seguro? Pulsa otra vez";
export const takeBackWish: string = "Votas por rendirte. Deshacer";
export const youDecideTies: string = "Llevas la capitanía: decides los empates.";
