import type { Connection } from "../live/socket";
import { hint } from "./words";

/** Says that the phone comes back by itself; the style sheet keeps it from flashing up for a moment's loss. */
export function Hint({ connection }: { connection: Connection }) {
  const text = hint(connection);
  return text ? (
    <p class="hint" role="status">
      {text}
    </p>
  ) : null;
}
