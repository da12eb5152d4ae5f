import { CloseCode } from "../protocol";

/** Before the first word of the server. */
export function Opening({ lost }: { lost: boolean }) {
  return (
    <main class="away">
      <h1>{lost ? "No connection" : "Opening the control room"}</h1>
      <p role="status">{lost ? "Trying again." : ""}</p>
    </main>
  );
}

/** The server closed the door for good: why, and where to go. */
export function Away({ close, code }: { close: number; code: string }) {
  const foreign = close === CloseCode.NOT_ALLOWED;
  return (
    <main class="away">
      <h1>{foreign ? "This is not your event" : close === CloseCode.NO_SUCH_EVENT ? `There is no event ${code}` : "The control room was closed"}</h1>
      <p>{foreign ? "You are logged out, or logged in as somebody else." : "Check the code, or load the page anew."}</p>
      <p>
        {foreign && <a class="press tall" href={`/console/login/?next=/console/${code}/`}>Log in</a>}
        <a class="press tall" href="/console/">My events</a>
      </p>
    </main>
  );
}
