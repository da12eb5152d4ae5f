import { CloseCode } from "../protocol";

/** Shown before the first message from the server. */
export function LoadingScreen({ lost }: { lost: boolean }) {
  return (
    <main class="closed">
      <h1>{lost ? "No connection" : "Opening the control room"}</h1>
      <p role="status">{lost ? "Trying again." : ""}</p>
    </main>
  );
}

/** Shown after the server has closed the connection for good: the reason and what to do. */
export function ClosedScreen({ close, code }: { close: number; code: string }) {
  const isForeign = close === CloseCode.NOT_ALLOWED;
  return (
    <main class="closed">
      <h1>{isForeign ? "This is not your event" : close === CloseCode.NO_SUCH_EVENT ? `There is no event ${code}` : "The control room was closed"}</h1>
      <p>{isForeign ? "You are logged out, or logged in as somebody else." : "Check the code, or load the page anew."}</p>
      <p>
        {isForeign && <a class="action-button tall" href={`/console/login/?next=/console/${code}/`}>Log in</a>}
        <a class="action-button tall" href="/console/">My events</a>
      </p>
    </main>
  );
}
