import { t } from "../live/i18n";
import { stepTo, type Line } from "./line";

/** Buttons and a slider to step through the turns. */
export function Steps({ line, setLine }: { line: Line; setLine: (line: Line) => void }) {
  const last = line.moves.length;
  const step = (to: number, name: string, path: string) => {
    const disabled = to < 0 || to > last || to === line.at;
    return <button type="button" aria-label={name} aria-disabled={disabled} onClick={() => !disabled && setLine(stepTo(line, to))}><svg viewBox="0 0 24 24" aria-hidden="true"><path d={path} /></svg></button>;
  };
  return (
    <div class="steps" dir="ltr" role="group" aria-label={t("Step through the match")}>
      {step(0, t("First turn"), "M6 5v14M19 5 9 12l10 7z")}
      {step(line.at - 1, t("Previous turn"), "M17 5 7 12l10 7z")}
      {step(line.at + 1, t("Next turn"), "m7 5 10 7-10 7z")}
      {step(last, t("Last turn"), "M18 5v14M5 5l10 7-10 7z")}
      <input type="range" min="0" max={last} value={line.at} aria-label={t("Turn")} onInput={(event) => setLine(stepTo(line, Number(event.currentTarget.value)))} />
    </div>
  );
}
