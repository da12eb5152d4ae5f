import { Badge } from "../../board/Ball";
import { formatNumber } from "../../live/format";
import { nParts } from "../../live/i18n";
import { Introduction } from "../demonstration/Introduction";
import type { JoinCodes } from "../scene/joinCodes";
import { NAME_LEAST, fitNumber } from "../scene/layout";
import { PLACES, sideShownAtPlace, type Place } from "../scene/places";
import type { StageView } from "../scene/stageView";
import { turnoutLevel } from "../votes/turnoutLevel";
import { EventName } from "./EventName";
import { SeriesWins } from "./SeriesWins";
import { TeamName } from "./TeamName";
import { besideIntroduction } from "./lobbyLayout";

const NAME = 78;
const NUMBER = 112;
const MARGINS = 48;

/** Beside the QR code: the rules in a loop, and below them the teams with the number of people who have joined. */
export function IntroductionLobby({ view, codes }: { view: StageView; codes: JoinCodes }) {
  const { card, width } = besideIntroduction(view, codes);
  return (
    <div class="beside-code" style={{ "--card": `calc(${card} * var(--u))` }}>
      <EventName view={view} width={width - 2 * MARGINS} />
      <Introduction view={view} width={width - 2 * MARGINS} />
      <div class="joined-teams">{PLACES.map((place) => <JoinedTeam key={place} view={view} place={place} width={width / 2 - MARGINS} />)}</div>
    </div>
  );
}

function JoinedTeam({ view, place, width }: { view: StageView; place: Place; width: number }) {
  const side = sideShownAtPlace({ state: view.state, match: view.scene.match }, place);
  return (
    <section class="joined-team" data-side={side}>
      <TeamName view={view} place={place} level="h2" width={width} largest={NAME} least={NAME_LEAST} />
      <Joined view={view} place={place} width={width} />
      <SeriesWins view={view} place={place} />
      <Badge side={side} />
    </section>
  );
}

function Joined({ view, place, width }: { view: StageView; place: Place; width: number }) {
  const { number, word, source } = turnoutLevel(view, place);
  if (source) return <p>{source}</p>;
  if (word !== "joined") return null;
  const count = formatNumber(number);
  const fontSize = `calc(${fitNumber(count, width, NUMBER)} * var(--u))`;
  return <p>{nParts("%(count)s joined", "%(count)s joined", number, { count: <b data-joined={place + 1} style={{ fontSize }}>{count}</b> })}</p>;
}
