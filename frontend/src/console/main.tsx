import { render } from "preact";
import { connect } from "../live/connect";
import { Store, useStore } from "../live/store";
import type { ConsoleMessage, CountsTold, Role, ToConsole } from "../protocol";
import "../live/tokens.css";
import "../../../crowdgame/static/tokens/rooms.css";
import "./console.css";
import { Away, Opening } from "./Away";
import { Deeds } from "./deeds";
import { Desk } from "./desk";
import { Evening } from "./evening";
import { Lookup } from "./lookup";
import { Rehearsal } from "./rehearsal";
import { Room } from "./Room";

const code = decodeURIComponent(location.pathname.split("/")[2] ?? "").toUpperCase();
interface Own {
  joinUrl: string;
  displayKey: string | null;
  role: Role;
  counts: CountsTold | null;
}

const own = new Store<Own>({ joinUrl: "", displayKey: null, role: "viewer", counts: null });
const rehearsal = new Rehearsal();
const deeds = new Deeds();
const evening = new Evening(`crowdgame:evening:${code}`);

function heard(message: ToConsole): void {
  deeds.hear(message);
  rehearsal.hear(message);
  people.hear(message);
  evening.hear(message, link.clock.now());
  if (message.type === "console.welcomed") own.set({ joinUrl: message.join_url, displayKey: message.display_key, role: message.role });
  if (message.type === "counts.told") own.set({ counts: message });
  if (message.type === "action.done" || message.type === "action.refused") desk.hear(message);
}

const link = connect<ConsoleMessage, ToConsole>("/ws/console", () => ({ type: "console.join", code }), heard);
const desk = new Desk((ask) => link.socket.send(ask));
const people = new Lookup((ask) => link.socket.send(ask));
link.store.subscribe(() => {
  if (link.store.get().connection.state !== "joined") desk.lose();
});

function Console() {
  const live = useStore(link.store);
  const told = useStore(own);
  if (live.connection.state === "away") return <Away close={live.connection.code} code={code} />;
  if (!live.event) return <Opening lost={live.connection.state === "lost"} />;
  return <Room live={live} event={live.event} {...told} {...{ clock: link.clock, desk, deeds, evening, rehearsal, people }} />;
}

link.socket.open();
render(<Console />, document.getElementById("app")!);
