import { fingerprint } from "../live/format";
import { standing, type Receipt } from "./receipts";
import { checkLine, findingText, missingText, type View } from "./words";

/** That the votes were counted and checked, in a word; each vote with its proof for whoever unfolds it. */
export function Receipts({ view, match }: { view: View; match: number }) {
  const line = checkLine(view);
  return line ? (
    <details class="receipts">
      <summary>
        ✓&nbsp;<span aria-live="polite">{line}</span><span class="hidden">: your votes, one by one</span>
      </summary>
      <div>
        <p>The code and the seal find a vote of yours in <a href={`/record/${view.event.code}/${match}.json`} target="_blank" rel="noopener">the whole count</a>.</p>
        <ol>{[...view.receipts].reverse().map((receipt) => <Entry key={receipt.turn} receipt={receipt} />)}</ol>
      </div>
    </details>
  ) : null;
}

function Entry({ receipt }: { receipt: Receipt }) {
  const [, column, blind] = standing(receipt)[0]!;
  return (
    <li>
      <b>Turn {receipt.number}, column {column}:</b> {findingText(receipt)}
      <small>code {blind}{receipt.root && `, seal ${fingerprint(receipt.root)}`}</small>
    </li>
  );
}

/** Stays for as long as the match is shown. */
export function Missing({ view }: { view: View }) {
  const text = missingText(view);
  return text ? <p class="missing" role="alert">{text}</p> : null;
}

/** The organizers chose to see the columns before the reveal: everybody is told, all the time. */
export function Peek() {
  return <p class="peek"><svg viewBox="0 0 24 24" aria-hidden="true"><use href="#eye" /></svg> The control room sees the votes</p>;
}
