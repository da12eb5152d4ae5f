import type { EventState } from "../protocol";
import { playedMatches } from "./links";

/** The matches so far, each with a link to its public report and its verification record. */
export function Matches({ event }: { event: EventState }) {
  const played = playedMatches(event);
  if (played.length === 0) return null;
  return (
    <section class="panel matches" aria-label="Matches">
      <h2>Matches</h2>
      <ol>
        {played.map(({ number, text, report, record }) => (
          <li key={number}>
            <p><b>Match {number}</b> {text}</p>
            <a href={report} target="_blank" rel="noopener" aria-label={`Report of match ${number}`}>Report</a>
            {record && <a href={record} target="_blank" rel="noopener" aria-label={`Record of match ${number}`}>Record</a>}
          </li>
        ))}
      </ol>
    </section>
  );
}
