import { useState } from "preact/hooks";
import { otherScreens, pageDoors, screenOf, type Door, type Keyring } from "./doors";

/** How people get in, and how the hall sees it. */
export function Join({ joinUrl, ...keyring }: Keyring & { joinUrl: string }) {
  const { event } = keyring;
  const shown = joinUrl.replace(/^https?:\/\//, "");
  const byTeam = event.team_choice === "link";
  return (
    <section class="join" aria-label="Joining">
      <p class="code">{event.code}</p>
      <p class="ways">
        {byTeam ? (
          event.teams.map(({ number, name }) => <a key={number} href={`${joinUrl}/${number}`}>{`${name}: ${shown}/${number}`}</a>)
        ) : (
          <a href={joinUrl}>{shown}</a>
        )}
      </p>
      <Screens {...keyring} />
      <a class="press main" href={screenOf(keyring)} target="_blank" rel="noopener">Open the big screen</a>
    </section>
  );
}

/** For a second hall, a stream, a wall of glass: to open, or to send to whoever stands there. */
function Screens(keyring: Keyring) {
  return (
    <details class="screens">
      <summary>Other screens</summary>
      <ul>
        {otherScreens(keyring).map((door) => (
          <li key={door.name}>
            <Way {...door} />
            <Copy {...door} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Copy({ name, href }: Door) {
  const [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(new URL(href, location.href).href).then(() => setCopied(true));
  if (!("clipboard" in navigator)) return null;
  return (
    <button type="button" class="press small" aria-label={copied ? `Link copied: ${name}` : `Copy the link: ${name}`} onClick={copy}>
      {copied ? "Copied" : "Copy"}
    </button>
  );
}

function Way({ name, href, apart }: Door) {
  return <a href={href} {...(apart ? { target: "_blank", rel: "noopener" } : {})}>{name}</a>;
}

const ABOUT: readonly Door[] = [
  { name: "The rules", href: "/rules", apart: true },
  { name: "About the game", href: "/about", apart: true },
  { name: "What is kept", href: "/privacy", apart: true },
];

/** The doors to the other pages. */
export function Foot(keyring: Keyring) {
  return (
    <footer class="foot">
      <nav aria-label="This event">{pageDoors(keyring).map((door) => <Way key={door.name} {...door} />)}</nav>
      <nav aria-label="More">{ABOUT.map((door) => <Way key={door.name} {...door} />)}</nav>
    </footer>
  );
}
