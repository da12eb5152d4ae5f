import { p, t } from "../live/i18n";
import { hasPhones } from "../live/match/ballotSource";
import { useState } from "preact/hooks";
import { displayLinks, embedCodes, pageLinks, stageUrl, type PageLink, type LinkContext } from "./links";

/** How people join, and the links to the projector pages. */
export function Join({ joinUrl, ...context }: LinkContext & { joinUrl: string }) {
  const { event } = context;
  const shown = joinUrl.replace(/^https?:\/\//, "");
  const byTeam = event.team_choice === "link";
  return (
    <section class="join" aria-label={p("section", "Joining")}>
      <p class="code">{event.code}</p>
      <p class="join-links">
        {byTeam ? (
          event.teams.filter(hasPhones).map(({ number, name }) => <a key={number} href={`${joinUrl}/${number}`}>{t("%(name)s: %(address)s", { name, address: `${shown}/${number}` })}</a>)
        ) : (
          <a href={joinUrl} dir="ltr">{shown}</a>
        )}
      </p>
      <DisplayLinks joinUrl={joinUrl} {...context} />
      <a class="action-button main" href={stageUrl(context, location.search)} target="_blank" rel="noopener">{t("Open big screen")}</a>
    </section>
  );
}

/** Projector pages for a second venue, a stream or a team's own screen, to open or to copy, and code for other sites. */
function DisplayLinks({ joinUrl, ...context }: LinkContext & { joinUrl: string }) {
  return (
    <details class="screens">
      <summary>{t("Other screens")}</summary>
      <ul>
        {displayLinks(context).map((link) => (
          <li key={link.name}>
            <PageAnchor {...link} />
            <Copy name={link.name} text={new URL(link.href, location.href).href} />
          </li>
        ))}
        {embedCodes(context.event, joinUrl).map(({ name, html }) => (
          <li key={name}>
            <label>{name} <input readOnly dir="ltr" value={html} onFocus={({ currentTarget }) => currentTarget.select()} /></label>
            <Copy name={name} text={html} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Copy({ name, text }: { name: string; text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  if (!("clipboard" in navigator)) return null;
  return (
    <button type="button" class="action-button" aria-label={copied ? t("Link copied: %(link)s", { link: name }) : t("Copy link: %(link)s", { link: name })} onClick={copy}>
      {copied ? t("Copied") : t("Copy")}
    </button>
  );
}

function PageAnchor({ name, href, newTab }: PageLink) {
  return <a href={href} {...(newTab ? { target: "_blank", rel: "noopener" } : {})}>{name}</a>;
}

const ABOUT: readonly PageLink[] = [
  { name: t("Rules"), href: "/rules", newTab: true },
  { name: t("About the game"), href: "/about", newTab: true },
  { name: t("Privacy"), href: "/privacy", newTab: true },
  { name: t("Accessibility"), href: "/accessibility", newTab: true },
];

/** Links to the event's other pages, and to pages about crowdgame. */
export function Footer(context: LinkContext) {
  const own = pageLinks(context);
  return (
    <footer class="footer">
      {own.length > 0 && <nav aria-label={t("This event")}>{own.map((link) => <PageAnchor key={link.name} {...link} />)}</nav>}
      <nav aria-label={t("More")}>{ABOUT.map((link) => <PageAnchor key={link.name} {...link} />)}</nav>
    </footer>
  );
}
