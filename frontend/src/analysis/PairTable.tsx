import { Badge } from "../board/Ball";
import { parts, t } from "../live/i18n";
import type { Solution } from "../verify/bots/solver";
import type { Side } from "../verify/record";

/** Red's winning chance for each pair of columns. */
export function PairTable({ solution: { matrix, isExact }, names }: { solution: Solution; names: Readonly<Record<Side, string>> }) {
  const columns = matrix[0]!.map((_, index) => (matrix[0]!.length > 1 ? index + 1 : ""));
  return (
    <details class="pairs">
      <summary>{t("Every pair of columns")}</summary>
      <p class="small">{!isExact && "≈ "}{parts("Winning chance of %(red)s in percent: its columns down, those of %(yellow)s across.", { red: <bdi>{names.red}</bdi>, yellow: <bdi>{names.yellow}</bdi> })}</p>
      <table dir="ltr">
        <thead><tr><td><Badge side="red" /> <Badge side="yellow" /></td>{columns.map((column) => <th key={column} scope="col">{column}</th>)}</tr></thead>
        <tbody>
          {matrix.map((row, index) => (
            <tr key={index}><th scope="row">{matrix.length > 1 ? index + 1 : ""}</th>{row.map((value, column) => <td key={column} data-level={value === null ? undefined : Math.round(3 * value)}>{value === null ? "" : Math.round(50 * (1 + value))}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
