import { useEffect, useMemo, useState } from "preact/hooks";
import { useStore } from "../live/store";
import { CloseCode } from "../protocol";
import { readAddress } from "./address";
import { Hindered } from "./Choose";
import { Join } from "./Join";
import { mark } from "./mark";
import { Play } from "./Play";
import { takeSeat } from "./seated";
import { Enamel } from "./Shape";

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
  if (connection.state === "away") return <Away code={connection.code} />;
  if (event && team !== null) return <Play seated={seated} team={team} />;
  if (hindrance) return <Hindered hindrance={hindrance} choose={seated.choose} />;
  return <Entering lost={connection.state === "lost"} code={code} />;
}

function Entering({ lost, code }: { lost: boolean; code: string }) {
  useEffect(() => mark({ phase: "joining" }));
  return (
    <main data-status="idle" class="notice">
      <h1>{lost ? "No connection just now" : "Going in"}</h1>
      <p role="status">{lost ? "Trying again by itself." : `Looking for your seat in ${code}.`}</p>
    </main>
  );
}

function Away({ code }: { code: number }) {
  useEffect(() => mark({ phase: "lost" }));
  const left = code === CloseCode.NOT_ALLOWED || code === CloseCode.BAD_TOKEN;
  return (
    <main data-status="idle" class="notice">
      <h1>{left ? "This phone has no seat here" : "This page is out of date"}</h1>
      <p role="status">{left ? "Ask the people who run the event." : "Load it again to go on."}</p>
      {!left && (
        <button type="button" class="go" onClick={() => location.reload()}>
          Load again
        </button>
      )}
    </main>
  );
}
