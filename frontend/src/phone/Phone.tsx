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
import { forgetSeat, readKey } from "./seat";
import { takeSeat } from "./seated";
import { Enamel, Token } from "./Shape";

export function Phone() {
  const [address, setAddress] = useState(atFirst);
  const [problem, setProblem] = useState("");
  const [seats, setSeats] = useState(0);
  const go = (path: string, said: string) => {
    history.replaceState(null, "", path);
    setProblem(said);
    setAddress(readAddress(path));
  };
  const { code, team, key } = address;
  const change = () => {
    forgetSeat(code!);
    setSeats(seats + 1);
  };
  return (
    <>
      <Enamel />
      {code === null ? (
        <Join problem={problem} enter={(typed) => go(`/${encodeURIComponent(typed)}`, "")} />
      ) : (
        <Seat key={code + seats} code={code} wish={team} shown={key} change={change} unknown={() => go("/", `There is no event with the code ${code}.`)} />
      )}
    </>
  );
}

/** A key that is left in the address would be shared with it. */
function atFirst() {
  const { pathname, hash } = location;
  if (hash) history.replaceState(null, "", pathname);
  return readAddress(pathname, hash);
}

interface SeatProps {
  code: string;
  wish: number | null;
  shown: string | null;
  /** To the seat of the code that is shown. */
  change: () => void;
  unknown: () => void;
}

function Seat({ code, wish, shown, change, unknown }: SeatProps) {
  const seated = useMemo(() => takeSeat(code, wish, shown), []);
  const { event, connection } = useStore(seated.store);
  const { team, hindrance, returned } = useStore(seated.mine);
  const [stays, setStays] = useState(!shown || shown === readKey(code));
  const nowhere = connection.state === "away" && connection.code === CloseCode.NO_SUCH_EVENT;
  useEffect(() => seated.leave, []);
  useEffect(() => {
    if (nowhere) unknown();
  }, [nowhere]);
  if (nowhere) return null;
  if (connection.state === "away") return <Away code={connection.code} reclaim={seated.reclaim} />;
  if (event && !stays && returned && /tickets|roster/.test(event.admission)) return <Whose shown={shown!} stay={() => setStays(true)} change={change} />;
  if (event && team !== null) return <Play seated={seated} team={team} />;
  if (hindrance && connection.state !== "crowded") return <Hindered hindrance={hindrance} choose={seated.choose} show={seated.show} connection={connection} />;
  return <Entering connection={connection} code={code} />;
}

/** A device that goes from hand to hand. */
function Whose({ shown, stay, change }: { shown: string; stay: () => void; change: () => void }) {
  useEffect(() => mark({ phase: "joining" }));
  return (
    <main data-status="idle" class="notice">
      <h1>Go on as before, or with this code?</h1>
      <p>This device has a seat already.</p>
      <button type="button" class="go" onClick={stay}>
        As before
      </button>
      <button type="button" class="go" onClick={change}>
        With {shown}
      </button>
    </main>
  );
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
