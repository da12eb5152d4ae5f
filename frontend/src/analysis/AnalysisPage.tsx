import { useEffect, useState } from "preact/hooks";
import { Badge } from "../board/Ball";
import { fetchInTime } from "../live/connection/fetchInTime";
import { t } from "../live/i18n";
import { showSideColors } from "../live/teamColors";
import type { JsonObject } from "../verify/json";
import { SIDES, type Move, type Side } from "../verify/record";
import { GAMES } from "../verify/rules/games";
import { Explorer } from "./Explorer";
import type { Balls } from "./withheld";

const WITHIN_MS = 20_000;
const REFRESH_MS = 3_000;
/** An idle page polls only once in as many periods. */
const IDLE_AFTER = 100;
const IDLE_EVERY = 20;
const USES = ["visibilitychange", "pointerdown", "keydown"];

/** The answer of `/report/CODE/N/board.json`. */
interface AnalyzableMatch {
  readonly event: string;
  readonly number: number;
  readonly game: string;
  readonly options: JsonObject;
  readonly teams: Readonly<Record<Side, string>>;
  /** Empty for a team without an own one. */
  readonly colors: Readonly<Record<Side, string>>;
  readonly turns: readonly (readonly [red: number | null, yellow: number | null])[];
}

/** The answer of `/report/CODE/N/live.json`: what the event votes on now, with the balls as hexadecimal bits. */
interface LiveAnswer {
  readonly live: { readonly columns: number; readonly red: string; readonly yellow: string } | null;
  readonly is_over: boolean;
}

export function AnalysisPage() {
  const [match, setMatch] = useState<AnalyzableMatch | null | undefined>();
  useEffect(() => void load<AnalyzableMatch>("board.json").then(setMatch), []);
  return (
    <>
      <header class="top"><a class="mark" href="/"><Badge side="red" /><Badge side="yellow" /><span>Crowdgame</span></a></header>
      <main class="page">
        {match === null && <p class="note error" role="alert">{t("The match can’t be loaded now. Try again in a moment.")}</p>}
        {match && <Match match={match} />}
      </main>
    </>
  );
}

function Match({ match: { event, number, game, options, teams, colors, turns } }: { match: AnalyzableMatch }) {
  const live = useLivePosition();
  useEffect(() => showSideColors(SIDES.filter((side) => colors[side]).map((side) => [side, colors[side]])), [colors]);
  const played: Move[] = turns.map(([red, yellow]) => ({ red, yellow }));
  const turn = Number(/^#turn-(\d+)$/.exec(location.hash)?.[1] ?? 1);
  return (
    <>
      <p class="eyebrow"><bdi>{event}</bdi> · <a href={location.pathname.replace(/\/board$/, "")}>{t("Match %(number)s", { number })}</a></p>
      <h1>{t("Analysis board")}</h1>
      <Explorer start={GAMES.get(game)!} options={options} played={played} at={turn - 1} names={teams} live={live} />
    </>
  );
}

/**
 * Polls what the event votes on until it is over, less often while nobody uses the page. Undefined while the page
 * isn't visible or the server doesn't answer.
 */
function useLivePosition(): Balls | null | undefined {
  const [live, setLive] = useState<Balls | null | undefined>();
  useEffect(() => {
    const poll = async () => {
      const answer = document.hidden ? null : await load<LiveAnswer>("live.json");
      if (answer?.is_over) stop();
      setLive(answer ? answer.live && { columns: answer.live.columns, red: BigInt(`0x${answer.live.red}`), yellow: BigInt(`0x${answer.live.yellow}`) } : undefined);
    };
    let unused = 0;
    const timer = setInterval(() => {
      unused++;
      if (!document.hidden && (unused < IDLE_AFTER || unused % IDLE_EVERY === 0)) void poll();
    }, REFRESH_MS);
    const use = ({ type }: Event) => {
      if (type === "visibilitychange" || unused >= IDLE_AFTER) void poll();
      unused = 0;
    };
    const stop = () => {
      clearInterval(timer);
      for (const name of USES) document.removeEventListener(name, use);
    };
    for (const name of USES) document.addEventListener(name, use);
    void poll();
    return stop;
  }, []);
  return live;
}

/** Null if it can't be loaded. */
async function load<Answer>(name: string): Promise<Answer | null> {
  const answer = await fetchInTime(location.pathname.replace(/board$/, name), WITHIN_MS, { cache: "no-store" }).catch(() => null);
  return answer?.ok ? answer.json().catch(() => null) : null;
}
