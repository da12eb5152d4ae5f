import { useEffect, useState } from "preact/hooks";
import { Badge } from "../board/Ball";
import { fetchInTime } from "../live/connection/fetchInTime";
import { t } from "../live/i18n";
import type { JsonObject } from "../verify/json";
import type { Move, Side } from "../verify/record";
import { GAMES } from "../verify/rules/games";
import { Explorer } from "./Explorer";

const WITHIN_MS = 20_000;
const REFRESH_MS = 5_000;

/** The answer of `/report/CODE/N/board.json`. */
interface AnalyzableMatch {
  readonly event: string;
  readonly number: number;
  readonly game: string;
  readonly options: JsonObject;
  readonly teams: Readonly<Record<Side, string>>;
  readonly turns: readonly (readonly [red: number | null, yellow: number | null])[];
  /** What the event votes on now: the balls as hexadecimal bits. */
  readonly live: { readonly columns: number; readonly red: string; readonly yellow: string } | null;
}

export function AnalysisPage() {
  const { match, hasFailed, isFresh } = useMatch();
  return (
    <>
      <header class="top"><a class="mark" href="/"><Badge side="red" /><Badge side="yellow" /><span>Crowdgame</span></a></header>
      <main class="page">
        {hasFailed && <p class="note error" role="alert">{t("The match can’t be loaded now. Try again in a moment.")}</p>}
        {match && <Match match={match} isFresh={isFresh} />}
      </main>
    </>
  );
}

function Match({ match, isFresh }: { match: AnalyzableMatch; isFresh: boolean }) {
  const { event, number, game, options, teams, turns, live } = match;
  const balls = live && { columns: live.columns, red: BigInt(`0x${live.red}`), yellow: BigInt(`0x${live.yellow}`) };
  const played: Move[] = turns.map(([red, yellow]) => ({ red, yellow }));
  const turn = Number(/^#turn-(\d+)$/.exec(location.hash)?.[1] ?? 1);
  return (
    <>
      <p class="eyebrow"><bdi>{event}</bdi> · <a href={location.pathname.replace(/\/board$/, "")}>{t("Match %(number)s", { number })}</a></p>
      <h1>{t("Analysis board")}</h1>
      <Explorer start={GAMES.get(game)!} options={options} played={played} at={turn - 1} names={teams} live={isFresh ? balls : undefined} />
    </>
  );
}

/** Loads the match, and again every few seconds what is voted on. Not fresh while the page wasn't visible or the server didn't answer. */
function useMatch() {
  const [match, setMatch] = useState<AnalyzableMatch | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const [isFresh, setFresh] = useState(false);
  useEffect(() => {
    const load = async () => {
      if (document.hidden) return setFresh(false);
      const answer = await fetchInTime(`${location.pathname}.json`, WITHIN_MS).catch(() => null);
      const loaded = answer?.ok ? ((await answer.json()) as AnalyzableMatch) : null;
      if (loaded) setMatch(loaded);
      setFresh(loaded !== null);
      setFailed(loaded === null);
    };
    const timer = setInterval(() => void load(), REFRESH_MS);
    document.addEventListener("visibilitychange", load);
    void load();
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", load);
    };
  }, []);
  return { match, hasFailed, isFresh };
}
