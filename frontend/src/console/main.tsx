import { render } from "preact";
import { watchClock } from "../live/connection/clockWatch";
import { connect } from "../live/connection/connect";
import { showTeamColors } from "../live/teamColors";
import { Store, useStore } from "../live/state/useStore";
import type { ConsoleMessage, CountsUpdated, Role, ToConsole } from "../protocol";
import "../live/tokens.css";
import "../../../crowdgame/static/tokens/pages.css";
import "../../../crowdgame/static/tokens/team_colors.css";
import "./console.css";
import { ClosedScreen, LoadingScreen } from "./ConnectionScreens";
import { AuditLogStore } from "./history/auditLogStore";
import { OrganizerCommands } from "./actions/commands";
import { EventHistory } from "./history/eventHistory";
import { PeopleSearch } from "./people/peopleSearch";
import { Rehearsal } from "./rehearsal/rehearsal";
import { ConsoleScreen } from "./ConsoleScreen";

const code = decodeURIComponent(location.pathname.split("/")[2] ?? "").toUpperCase();
interface Own {
  joinUrl: string;
  displayKey: string | null;
  role: Role;
  counts: CountsUpdated | null;
}

const own = new Store<Own>({ joinUrl: "", displayKey: null, role: "viewer", counts: null });
const rehearsal = new Rehearsal();
const auditLog = new AuditLogStore();
const history = new EventHistory(`crowdgame:history:${code}`);

function onMessage(message: ToConsole): void {
  auditLog.receive(message);
  rehearsal.receive(message);
  people.receive(message);
  history.receive(message, link.clock.now());
  if (message.type === "console.welcomed") own.set({ joinUrl: message.join_url, displayKey: message.display_key, role: message.role });
  if (message.type === "counts.updated") own.set({ counts: message });
  if (message.type === "action.done" || message.type === "action.refused") commands.receive(message);
}

const link = connect<ConsoleMessage, ToConsole>("/ws/console", () => ({ type: "console.join", code }), onMessage);
const commands = new OrganizerCommands((ask) => link.socket.send(ask));
const people = new PeopleSearch((ask) => link.socket.send(ask));
link.store.subscribe(() => {
  if (!link.socket.isJoined) commands.connectionLost();
});

function Console() {
  const live = useStore(link.store);
  const ownState = useStore(own);
  if (live.connection.state === "away") return <ClosedScreen close={live.connection.code} code={code} />;
  if (!live.event) return <LoadingScreen lost={live.connection.state === "lost"} />;
  showTeamColors(live.event);
  return <ConsoleScreen live={live} event={live.event} {...ownState} {...{ clock: link.clock, commands, auditLog, history, rehearsal, people }} />;
}

watchClock(() => link.socket.probe());
link.socket.open();
render(<Console />, document.getElementById("app")!);
