import { Badge } from "../../board/Ball";
import { formatNumber } from "../../live/format";
import { nParts } from "../../live/i18n";
import type { JoinCode } from "../scene/joinCodes";
import { NAME_LEAST } from "../scene/layout";
import { sideShownAtPlace, type Place } from "../scene/places";
import type { StageView } from "../scene/stageView";
import { turnoutLevel } from "../votes/turnoutLevel";
import { QrCard } from "./QrCard";
import { TeamName } from "./TeamName";

const NAME = 76;
/** The margins of a half of the stage, and the badge. */
const BESIDE_NAME = 190;
const QUIET_ZONE = 3;

/** A team's half of the lobby if each team has its own link: its side, name and QR code, as large as fits. */
export function TeamJoin({ view, place, code }: { view: StageView; place: Place; code: JoinCode }) {
  const side = sideShownAtPlace({ state: view.state, match: view.scene.match }, place);
  return (
    <section class="team-join" data-place={place} data-side={side}>
      <header>
        <Badge side={side} />
        <div>
          <TeamName view={view} place={place} level="h2" width={view.size.width / 2 - BESIDE_NAME} largest={NAME} least={NAME_LEAST} />
          <Joined view={view} place={place} />
        </div>
      </header>
      <QrCard code={code} quiet={QUIET_ZONE} size={null} />
    </section>
  );
}

function Joined({ view, place }: { view: StageView; place: Place }) {
  const { number, word } = turnoutLevel(view, place);
  return word === "joined" ? <p>{nParts("%(count)s joined", "%(count)s joined", number, { count: <b data-joined={place + 1}>{formatNumber(number)}</b> })}</p> : null;
}
