import type { Match, SideTally } from "../../protocol";
import { optionName } from "../../board/geometry";
import { formatNumber, formatPercent } from "../../live/format";
import { n, p, t } from "../../live/i18n";
import { support } from "../../live/match/support";
import { isPartHidden, sideAtPlace, tallyForSide, teamAtPlace, type Place } from "../scene/places";
import { gridPlacement, type StageView } from "../scene/stageView";
import { decisionText } from "../captions/captions";

const SHOWN = ["picks", "hold", "drops", "second", "token", "lines", "replay", "over"];

/** A team's pick (the chosen column), its share of the votes and how it was decided. */
export function TeamPick({ view, place }: { view: StageView; place: Place }) {
  const { scene, size, state } = view;
  const side = sideAtPlace(scene.match, place);
  const tally = tallyForSide(scene.reveal, side);
  const placement = gridPlacement(view);
  if (!tally || !placement || !scene.match || !scene.stage || !SHOWN.includes(scene.stage.step)) return null;
  const width = `calc(${(size.width - placement.width) / 2 - 30} * var(--u))`;
  const counted = !isPartHidden(state, "tally");
  const name = optionName(scene.match.board, tally.pick ?? 0);
  const words = decisionText(scene.match, tally, counted, name) || ballotsText(view, place, tally);
  return (
    <section class="choice" data-place={place} data-side={side} style={{ width }}>
      {tally.pick === null ? <span class="none">{tally.decided_by === "resign" ? p("team", "Gives up") : p("team", "No pick")}</span> : <PickFigure match={scene.match} tally={tally} name={name} counted={counted} said={chooserText(view, place)} />}
      {words && <p>{words}</p>}
    </section>
  );
}

/** The number of votes or hands; if counts are hidden, mentions only a show of hands. */
function ballotsText({ state }: StageView, place: Place, { ballots }: SideTally): string {
  const hands = teamAtPlace(state, place).hands;
  if (isPartHidden(state, "turnout") || isPartHidden(state, "tally")) return hands ? t("by show of hands") : "";
  const count = formatNumber(ballots);
  return hands ? n("of %(count)s hand", "of %(count)s hands", ballots, { count }) : n("of %(count)s vote", "of %(count)s votes", ballots, { count });
}

/** Above the pick. A team's own screen addresses the team. */
function chooserText({ home }: StageView, place: Place): string {
  if (!home) return p("team", "chose");
  return place === 0 ? t("You chose") : t("The others chose");
}

function PickFigure({ match, tally, name, counted, said }: { match: Match; tally: SideTally; name: string; counted: boolean; said: string }) {
  const [votes, of] = support(match, tally);
  return (
    <>
      <span class="said">{said}</span>
      <b class="column">{name}</b>
      {counted && tally.ballots > 0 && <b class="share">{formatPercent(votes, of)}</b>}
    </>
  );
}
