import { useEffect, useRef } from "preact/hooks";
import { Badge } from "../../board/Ball";
import type { EventState, KeyShown } from "../../protocol";
import { Brand } from "./Brand";
import { EVENT_NAME_LEAST, EventName } from "./EventName";
import { Introduction } from "../demonstration/Introduction";
import { JoinAddress, hostName } from "./Footer";
import { IntroductionLobby } from "./IntroductionLobby";
import { LobbyStatus, showsCode } from "./LobbyStatus";
import { QrCard } from "./QrCard";
import { SeriesWins } from "./SeriesWins";
import { TeamJoin } from "./TeamJoin";
import { TeamName } from "./TeamName";
import { t } from "../../live/i18n";
import { NAME_LEAST } from "../scene/layout";
import { measureName } from "../scene/measureName";
import { PLACES, isPartHidden, sideShownAtPlace, type Place } from "../scene/places";
import type { JoinCodes } from "../scene/joinCodes";
import type { StageView } from "../scene/stageView";
import { admissionHint } from "../captions/captions";
import { besideCard, cardSide, isIntroducing, quietZone, shownTeamCodes, widthBetweenCodes } from "./lobbyLayout";

const NAME = 84;
const TOP = { badge: 78, largest: 62, least: 54.5 };
/** How to join: the QR codes, the address, the code, and the number of people who have joined. */
export function Lobby({ view, codes, shown }: { view: StageView; codes: JoinCodes; shown: KeyShown | null }) {
  if (view.scene.phase !== "lobby") return null;
  const teams = shownTeamCodes(view, codes);
  const between = teams ? widthBetweenCodes(view) : 0;
  return (
    <div class="lobby" style={{ "--between": `calc(${between} * var(--u))` }}>
      {teams ? PLACES.map((place) => <TeamJoin key={place} view={view} place={place} code={teams[place]} />) : <OneCode view={view} codes={codes} />}
      {between > 0 && <div class="between-codes"><EventName view={view} width={between} /><Introduction view={view} width={between} /></div>}
      <div class="join-info" style={{ "--code": `calc(${codeSize(view, shown)} * var(--u))` }}>
        {brandWidth(view, shown) > 0 && <Brand state={view.state} place="lobby" />}
        {teams && between === 0 && <EventNameBesideAddress view={view} shown={shown} />}
        {view.state.lobby === "locked" ? <p>{t("The match begins soon")}</p> : <JoinInfo view={view} shown={shown} />}
      </div>
    </div>
  );
}

/** One QR code for everyone, or the status of the lobby: beside the introduction, or between the teams. */
function OneCode({ view, codes }: { view: StageView; codes: JoinCodes }) {
  const quiet = quietZone(view);
  const code = codes.event;
  return (
    <>
      {isIntroducing(view, codes) ? <IntroductionLobby view={view} codes={codes} /> : PLACES.map((place) => <LobbyTeam key={place} view={view} place={place} width={besideCard(view, codes)} />)}
      {showsCode(view.state) ? <QrCard code={code} quiet={quiet} size={cardSide(code.rows, quiet)} /> : <LobbyStatus state={view.state} />}
      {view.foot.lines === 0 && <TopLine view={view} codes={codes} />}
    </>
  );
}

/** Above the QR code: the event's name, unless it is elsewhere, and the invitation to cheer if both fit. */
function TopLine({ view, codes }: { view: StageView; codes: JoinCodes }) {
  const { state, size } = view;
  const name = showsCode(state) && !isIntroducing(view, codes) && !state.is_duel ? state.name : "";
  const fontSize = (text: string) => (size.width - besideCard(view, codes) - 2 * TOP.badge) / measureName(text);
  const invitation = cheerInvitation(view);
  const both = [name, invitation].filter(Boolean).join(" · ");
  const text = !name || fontSize(both) >= TOP.least ? both : name;
  return text ? <p class="invitation" style={name && { fontSize: `calc(${Math.min(TOP.largest, fontSize(text))} * var(--u))` }}>{text}</p> : null;
}

/** Invites people who have joined to tap their shape, which also shows that their connection works. */
function cheerInvitation({ state, turnout }: StageView): string {
  const here = turnout ? turnout.connected[0] + turnout.connected[1] : 0;
  return here === 0 || state.lobby === "closed" || state.is_duel ? "" : t("Joined? Tap your shape!");
}

function JoinInfo({ view, shown }: { view: StageView; shown: KeyShown | null }) {
  if (isPartHidden(view.state, "code") && !view.state.is_duel) return <p>{t("Ask the host how to join")}</p>;
  const ticket = ticketHint(view.state);
  return (
    <>
      <JoinAddress url={view.joinUrl} code={view.state.code} />
      <RotatingCode view={view} shown={shown} />
      {ticket && view.state.admission !== "rotating" && <p class="needed">{ticket}</p>}
    </>
  );
}

/** In a duel the address itself leads to the seat. */
const ticketHint = ({ is_duel, admission }: EventState) => (is_duel ? "" : admissionHint(admission));

/** The font sizes of the host name and the key, with their spaces, relative to the code's. */
const [HOST_SHARE, KEY_SHARE] = [0.52, 1.1];
const CODE = { largest: 166, least: 72, above: 106, besideNotice: 104, besideBrand: 90 };
const BESIDE = { peek: 484, key: 130, name: 220, brand: 520 };

/**
 * The font size of the code in the footer: it shares the width with the address and key, or the height with a sentence.
 */
function codeSize(view: StageView, shown: KeyShown | null): number {
  const { state, foot } = view;
  const largest = ticketHint(state) && !shown ? CODE.above : foot.lines ? CODE.besideNotice : CODE.largest;
  return Math.max(CODE.least, Math.min(largest, fittingSize(view, shown, brandWidth(view, shown))));
}

function fittingSize({ state, joinUrl, size }: StageView, shown: KeyShown | null, beside: number): number {
  const text = measureName(`${hostName(joinUrl)}/`) * HOST_SHARE + measureName(state.code) + (shown ? measureName(shown.key) * KEY_SHARE : 0);
  return (size.width - 92 - (state.peek ? BESIDE.peek : 0) - (shown ? BESIDE.key : 0) - beside) / text;
}

/** Without room for the logo and sponsor line, the address and code come first. */
function brandWidth(view: StageView, shown: KeyShown | null): number {
  const { logo, brand_line } = view.state;
  return (logo || brand_line) && fittingSize(view, shown, BESIDE.brand) >= CODE.besideBrand ? BESIDE.brand : 0;
}

/** Two QR codes leave no other room for the event's name. Nothing if it does not fit on the line. */
function EventNameBesideAddress({ view, shown }: { view: StageView; shown: KeyShown | null }) {
  const { state, joinUrl, size } = view;
  const address = measureName(`${hostName(joinUrl)}/`) * HOST_SHARE + measureName(state.code);
  const width = size.width - address * codeSize(view, shown) - BESIDE.name - brandWidth(view, shown);
  return !shown && width >= measureName(state.name) * EVENT_NAME_LEAST ? <EventName view={view} width={width} /> : null;
}

function LobbyTeam({ view, place, width }: { view: StageView; place: Place; width: number }) {
  const side = sideShownAtPlace({ state: view.state, match: view.scene.match }, place);
  return (
    <section class="lobby-team" data-place={place} data-side={side} style={{ width: `calc(${width} * var(--u))` }}>
      <Badge side={side} />
      <TeamName view={view} place={place} level="h2" width={width - 60} largest={NAME} least={NAME_LEAST} />
      <SeriesWins view={view} place={place} />
    </section>
  );
}

const PERIOD_MS = 30_000;
const TICKS = 6;

/** The current join code, and how much of its validity is left. */
function RotatingCode({ view, shown }: { view: StageView; shown: KeyShown | null }) {
  if (view.state.admission !== "rotating") return null;
  if (!shown) return <p class="needed">{admissionHint("rotating")}</p>;
  return (
    <p class="rotating-code">
      <Ring view={view} until={shown.until_at} />
      <b data-key={shown.key}>{shown.key}</b>
    </p>
  );
}

/** A countdown ring that runs out once per code. With reduced motion it shrinks in a few steps. */
function Ring({ view, until }: { view: StageView; until: number }) {
  const arc = useRef<SVGCircleElement>(null);
  useEffect(() => {
    const left = Math.max(0, until - view.now());
    const from = `${1 - Math.min(1, left / PERIOD_MS)}`;
    const easing = view.reducedMotion ? `steps(${TICKS})` : "linear";
    const run = arc.current?.animate([{ strokeDashoffset: from }, { strokeDashoffset: "1" }], { duration: left, easing, fill: "both" });
    return () => run?.cancel();
  }, [until, view.reducedMotion]);
  return (
    <svg class="ring" viewBox="0 0 100 100" aria-hidden="true">
      <circle cx="50" cy="50" r="42" />
      <circle cx="50" cy="50" r="42" pathLength="1" ref={arc} />
    </svg>
  );
}
