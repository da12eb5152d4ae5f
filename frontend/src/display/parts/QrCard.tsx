import { t } from "../../live/i18n";
import type { JoinCode } from "../scene/joinCodes";

/**
 * A QR code: dark modules on a light card, with the quiet zone that scanners require, in modules. `size`: the side in
 * stage units, or null to fill the space.
 */
export function QrCard({ code, quiet, size }: { code: JoinCode; quiet: number; size: number | null }) {
  const side = code.rows.length + 2 * quiet;
  const style = size === null ? {} : { width: `calc(${size} * var(--u))`, height: `calc(${size} * var(--u))` };
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} style={style} role="img" aria-label={t("QR code to join: %(url)s", { url: code.url })}>
      <rect width={side} height={side} rx="1.2" fill="#f4f1e8" />
      <path d={modules(code.rows, quiet)} fill="#0b1020" shape-rendering="crispEdges" />
    </svg>
  );
}

function modules(rows: readonly string[], quiet: number): string {
  return rows
    .flatMap((row, y) => [...row.matchAll(/1+/g)].map((run) => `M${(run.index ?? 0) + quiet} ${y + quiet}h${run[0].length}v1h-${run[0].length}z`))
    .join("");
}
