import { useEffect } from "preact/hooks";
import { sideOf } from "../live/phase";
import type { Connection } from "../live/socket";
import type { ErrorTold, EventState } from "../protocol";
import { CodeForm } from "./CodeForm";
import { Hint } from "./Hint";
import { mark } from "./mark";
import { Shape } from "./Shape";
import { keyWords } from "./words";

interface Props {
  hindrance: ErrorTold;
  choose: (team: number) => void;
  show: (key: string) => void;
  connection: Connection;
}

/** No seat yet: show a code, choose a team, scan the team's own code, or wait for the doors. */
export function Hindered({ hindrance, choose, show, connection }: Props) {
  useEffect(() => mark({ phase: "joining" }));
  const { code, event } = hindrance;
  if (code.startsWith("key")) return <CodeForm {...keyWords(code, event?.admission)} enter={show} />;
  if (code === "team_needed" && event?.team_choice !== "link") return <Choice event={event} choose={choose} />;
  const [title, text] = WORDS[code] ?? WORDS["team_needed"]!;
  return (
    <main data-status="idle" class="notice">
      {event && <p class="event">{event.name}</p>}
      <h1>{title}</h1>
      <p role="status">{text}</p>
      <Hint connection={connection} />
    </main>
  );
}

const WORDS: { [code: string]: readonly [string, string] } = {
  team_needed: ["Scan your team's code", "Each team has a code of its own. Scan the one on your side of the hall."],
  lobby_closed: ["The doors open soon", "Keep this page: you come in by yourself."],
  joining_locked: ["The doors are closed", "Nobody new can join just now. Keep this page: you come in when they open."],
};

function Choice({ event, choose }: { event: EventState | null; choose: (team: number) => void }) {
  return (
    <main data-status="idle" class="choice">
      <h1>Choose your team</h1>
      {[1, 2].map((team) => {
        const side = event ? sideOf(event, team) : team === 1 ? "red" : "yellow";
        return (
          <button key={team} type="button" data-side={side} data-choose={team} onClick={() => choose(team)}>
            <Shape side={side} />
            <span>{event ? event.teams[team - 1]!.name : `Team ${team}`}</span>
          </button>
        );
      })}
    </main>
  );
}
