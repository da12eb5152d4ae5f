import { useEffect, useMemo, useState } from "preact/hooks";
import type { Connection } from "../live/socket";
import { useStore } from "../live/store";
import { CloseCode } from "../protocol";
import { readAddress } from "./address";
import { Hindered } from "./Choose";
import { Hint } from "./Hint";
import { Join } from "./Join";
import { mark } from "./mark";
import { Play } from "./Play";
import { takeSeat } from "./seated";
import { Enamel, Token } from "./Shape";

export function Phone() {
  const [address, setAddress] = useState(readAddress(location.pathname));
  const [problem, setProblem] = useState("");
  const go = (path: string, said: string) => {
    history.replaceState(null, "", path);
    setProblem(said);
    setAddress(readAddress(path));
  };
  const { code, team } = address;
  return (
    <>
      <Enamel />
      {code === null ? (
        <Join problem={problem} enter={(typed) => go(`/${encodeURIComponent(typed)}`, "")} />
      ) : (
        <Seat key={code} code={code} wish={team} unknown={() => go("/", `There is no event with the code ${code}.`)} />
      )}
    </>
  );
}

function Seat({ code, wish, unknown }: { code: string; wish: number | null; unknown: () => void }) {
  const seated = useMemo(() => takeSeat(code, wish), []);
  const { event, connection } = useStore(seated.store);
  const { team, hindrance } = useStore(seated.mine);
  const nowhere = connection.state === "away" && connection.code === CloseCode.NO_SUCH_EVENT;
  useEffect(() => seated.leave, []);
  useEffect(() => {
    if (nowhere) unknown();
  }, [nowhere]);
  if (nowhere) return null;
  if (connection.state === "away") return <Away code={connection.code} reclaim={seated.reclaim} />;
  if (event && team !== null) return <Play seated={seated} team={team} />;
  if (hindrance && connection.state !== "crowded") return <Hindered hindrance={hindrance} choose={seated.choose} connection={connection} />;
  return <Entering connection={connection} code={code} />;
}

function Entering({ connection, code }: { connection: Connection; code: string }) {
  useEffect(() => mark({ phase: connection.state === "crowded" ? "crowded" : "joining" }));
  const crowded = connection.state === "crowded";
  return (
    <main data-status="idle" class="notice">
      <div class="pair waits">
        <Token name="ball-red" />
        <Token name="ball-yellow" />
      </div>
      <h1>{crowded ? "Many people are coming in" : "Going in"}</h1>
      <p role="status">{crowded ? "Your turn in a moment. There is nothing to press." : `Looking for your seat in ${code}.`}</p>
      {!crowded && <Hint connection={connection} />}
    </main>
  );
}

function Away({ code, reclaim }: { code: number; reclaim: () => void }) {
  useEffect(() => mark({ phase: "away" }));
  const [title, text, label, act] = awayWords(code, reclaim);
  return (
    <main data-status="idle" class="notice">
      <h1>{title}</h1>
      <p role="status">{text}</p>
      {act && (
        <button type="button" class="go" onClick={act}>
          {label}
        </button>
      )}
    </main>
  );
}

function awayWords(code: number, reclaim: () => void): readonly [title: string, text: string, label?: string, act?: () => void] {
  if (code === CloseCode.OPEN_ELSEWHERE) {
    return ["This phone's seat is open in another window", "Your seat is kept. Only the newest windows stay in the game.", "Continue here", reclaim];
  }
  if (code === CloseCode.NOT_ALLOWED || code === CloseCode.BAD_TOKEN) return ["This phone has no seat here", "Ask the people who run the event."];
  return ["This page is out of date", "Load it again to go on.", "Load again", () => location.reload()];
}
