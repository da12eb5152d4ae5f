import { useLayoutEffect, useState } from "preact/hooks";
import { Badge } from "../../board/Ball";
import { LANGUAGE, NUMBER_LOCALE, p, parts, t } from "../../live/i18n";
import { useStore } from "../../live/state/useStore";
import { LOCALES } from "../../phone/locales";
import { Results } from "./Results";
import { notARecord, verdictName } from "./texts";
import type { Verification, Verifier } from "./verification";

export function VerifyPage({ verifier }: { verifier: Verifier }) {
  const verification = useStore(verifier.store);
  const choose = (file: File | undefined | null) => void (file && verifier.verifyFile(file));
  useFileDrops(choose);
  return (
    <>
      <header class="top">
        <a class="mark" href="/"><Badge side="red" /><Badge side="yellow" /><span>Crowdgame</span></a>
      </header>
      <main>
        <h1>{t("Verify a match")}</h1>
        <p class="lead">{t("This page recounts a match from its record: every vote, every draw and every move.")}</p>
        <FilePicker choose={choose} />
        <Announcement verification={verification} />
        <Progress verification={verification} />
        {verification.state === "finished" && <Results key={verification.report} {...verification} />}
        {verification.state === "empty" && <Instructions />}
      </main>
      <Footer />
    </>
  );
}

/** Files can be dropped anywhere on the page, from its first paint on; otherwise the browser would open them. */
function useFileDrops(choose: (file: File | undefined) => void): void {
  useLayoutEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      choose(event.dataTransfer?.files[0]);
    };
    addEventListener("dragover", allow);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", allow);
      removeEventListener("drop", drop);
    };
  }, []);
}

function FilePicker({ choose }: { choose: (file: File | undefined) => void }) {
  const [over, setOver] = useState(false);
  const pick = (input: HTMLInputElement) => {
    choose(input.files?.[0]);
    input.value = ""; // so that choosing the same file again has an effect
  };
  return (
    <section class="panel picker" data-over={over} onDragEnter={() => setOver(true)} onDragLeave={() => setOver(false)} onDrop={() => setOver(false)}>
      <p id="picker">{t("Drop a match record or report here, or choose a file.")}</p>
      <label class="button">
        <input class="unseen" type="file" accept=".json,.html,application/json,text/html" aria-labelledby="picker" onChange={(event) => pick(event.currentTarget)} />
        {p("button", "Choose a file")}
      </label>
      <p class="small">{t("Nothing is uploaded. The file stays on this device.")}</p>
    </section>
  );
}

/** The live region. */
function Announcement({ verification }: { verification: Verification }) {
  return (
    <div role="status">
      {verification.state === "finished" && <span class="unseen">{verdictName(verification.report.verdict)}</span>}
      {verification.state === "unreadable" && <p class="note error">{problem(verification.reason)}</p>}
    </div>
  );
}

function problem(reason: "unavailable" | "not-a-record"): string {
  if (reason === "unavailable") return t("The record can’t be downloaded now. Try again in a moment.");
  return notARecord();
}

function Progress({ verification }: { verification: Verification }) {
  if (verification.state !== "running") return null;
  const { unit, done, total } = verification;
  const number = (value: number) => value.toLocaleString(NUMBER_LOCALE);
  return (
    <section class="panel">
      <label for="progress">
        {unit === "ballots" ? t("%(done)s of %(ballots)s ballots recounted", { done: number(done), ballots: number(total) }) : t("%(done)s of %(choices)s choices of the computer recomputed", { done: number(done), choices: number(total) })}
      </label>
      <progress id="progress" value={done} max={total || 1} />
    </section>
  );
}

function Instructions() {
  return (
    <section class="panel">
      <h2>{t("Where to get a record")}</h2>
      <p>{t("The report of each match has a button “Match record”. Anyone can download it.")}</p>
      <p>{parts("%(script)s checks the same on the command line. It was written separately.", { script: <a href="/verify.py" download dir="ltr">verify.py</a> })}</p>
    </section>
  );
}

function Footer() {
  return (
    <footer class="foot">
      <nav aria-label={p("links at the end of the page", "More")}>
        <a href="/rules">{t("Rules")}</a> <a href="/about">{t("About the game")}</a> <a href="/privacy">{t("Privacy")}</a> <a href="/accessibility">{t("Accessibility")}</a>
      </nav>
      <nav aria-label={t("Language")}>
        {Object.entries(LOCALES).map(([language, name]) => (
          <a key={language} lang={language} hreflang={language} href={inLanguage(language)} aria-current={language === LANGUAGE ? "true" : undefined}>{name}</a>
        ))}
      </nav>
    </footer>
  );
}

/** The address of this page in another language. */
function inLanguage(language: string): string {
  const query = new URLSearchParams(location.search);
  query.set("locale", language);
  return `?${query}`;
}
