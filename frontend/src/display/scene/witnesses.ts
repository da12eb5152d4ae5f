import { useEffect, useState } from "preact/hooks";
import { fetchInTime } from "../../live/connection/fetchInTime";
import { p, t } from "../../live/i18n";
import type { EventState } from "../../protocol";
import { measureName } from "./measureName";

/** Witnesses receive the end of a match within seconds. */
const ASK_MS = 12_000;
const MAX_TRIES = 5;

/** The names of witnesses that cosigned the log of the match that is over; empty as long as there are none. */
export function useWitnesses({ code, match }: EventState): readonly string[] {
  const ended = match && match.state !== "playing" && match.reveal ? match.number : 0;
  const [found, keep] = useState<{ match: number; names: readonly string[] }>({ match: 0, names: [] });
  useEffect(() => {
    if (!ended) return;
    let tries = 0;
    const timer = setInterval(async () => {
      const names = await loadWitnesses(code, ended);
      if (names.length > 0) keep({ match: ended, names });
      if (names.length > 0 || ++tries >= MAX_TRIES) clearInterval(timer);
    }, ASK_MS);
    return () => clearInterval(timer);
  }, [code, ended]);
  return found.match === ended ? found.names : [];
}

async function loadWitnesses(code: string, match: number): Promise<readonly string[]> {
  const answer = await fetchInTime(`/record/${code}/${match}/log/0.json`, ASK_MS).catch(() => null);
  return answer?.ok ? ((await answer.json()) as { witnesses: readonly string[] }).witnesses : [];
}

/** Names as many witnesses as fit in a line of this width at this font size; empty if none does. */
export function witnessText(names: readonly string[], width: number, size: number): string {
  if (names.length === 0) return "";
  const text = t("Log confirmed by %(names)s", { names: names.map((name) => `\u2068${name}\u2069`).join(p("between the items of a list", ", ")) });
  return measureName(text) * size <= width ? text : witnessText(names.slice(0, -1), width, size);
}
