import { t } from "../live/i18n";
import type { ServerClock } from "../live/connection/clock";
import type { LiveState } from "../live/connection/connect";
import { shownNotice } from "../live/notice";
import { useMoments } from "../live/state/useNow";
import { phaseMoments, currentPhase, type Phase } from "../live/match/phase";
import { useStore } from "../live/state/useStore";
import type { CountsUpdated, EventState, Role } from "../protocol";
import { Charts } from "./history/Charts";
import { Controls, ExtraTime, SoundOffer } from "./actions/Controls";
import { VotesSoFar } from "./status/VotesSoFar";
import { RehearsalPanel, RehearsalBadge } from "./rehearsal/RehearsalPanel";
import type { AuditLogStore } from "./history/auditLogStore";
import type { OrganizerCommands } from "./actions/commands";
import { cupLink, nextPairing } from "./links";
import type { EventHistory } from "./history/eventHistory";
import { DisplayPreview } from "./status/DisplayPreview";
import { ShowOfHands } from "./actions/ShowOfHands";
import { AuditLog } from "./history/AuditLog";
import { Health } from "./status/Health";
import { Help, useShortcuts } from "./Help";
import { Footer, Join } from "./Join";
import { Matches } from "./Matches";
import { EventStatus } from "./status/EventStatus";
import { People } from "./people/People";
import { closingPrompt } from "./actions/closing";
import { actionOffers, offerMoments } from "./actions/offers";
import { useSettledOffers } from "./actions/useSettledOffers";
import type { PeopleSearch } from "./people/peopleSearch";
import type { Rehearsal } from "./rehearsal/rehearsal";
import { DisplayParts, NoticeForm } from "./actions/NoticeForm";

export interface Props {
  live: LiveState;
  event: EventState;
  joinUrl: string;
  displayKey: string | null;
  role: Role;
  counts: CountsUpdated | null;
  clock: ServerClock;
  commands: OrganizerCommands;
  auditLog: AuditLogStore;
  history: EventHistory;
  rehearsal: Rehearsal;
  people: PeopleSearch;
}

interface ViewState {
  /** Without a message whose time is up. */
  event: EventState;
  phase: Phase;
  /** The server's time. */
  now: number;
  /** There is no connection, so all buttons are disabled. */
  off: boolean;
  /** Viewers may not act. */
  mayAct: boolean;
}

/** The organizer's console of an event. */
export function ConsoleScreen(props: Props) {
  const { live, clock, role, history } = props;
  const { entries } = useStore(props.auditLog.store);
  const viewState = useViewState(props);
  const { event, phase, off, mayAct } = viewState;
  document.body.dataset.phase = phase;
  document.title = t("%(name)s · Console", { name: event.name });
  return (
    <>
      {off && <p class="offline" role="alert">{t("No connection. Reconnecting. This page may be out of date.")}</p>}
      <Header {...props} {...viewState} />
      <main class="layout">
        <div class="do">
          <section class="controls" aria-label={t("Controls")}>
            <EventStatus event={event} phase={phase} turnout={live.turnout} clock={clock} />
            {mayAct ? <ActionPanel {...props} {...viewState} /> : <p class="read-only">{t("You're watching as a viewer. Only the owner and co-hosts can run the event.")}</p>}
            <VotesSoFar event={event} phase={phase} counts={props.counts} />
          </section>
          {mayAct && <NoticePanel {...props} {...viewState} />}
        </div>
        <div class="side">
          <div class="see">
            <DisplayPreview event={event} displayKey={props.displayKey} role={role} />
            {mayAct && <ShowOfHands event={event} phase={phase} audit={entries} commands={props.commands} off={off} />}
            <Charts event={event} phase={phase} history={history} clock={clock} />
            {mayAct && <People event={event} people={props.people} commands={props.commands} off={off} />}
          </div>
          <div class="log">
            <AuditLog auditLog={props.auditLog} history={history} commands={props.commands} off={off} mayAct={mayAct} />
            <Matches event={event} />
          </div>
        </div>
        {mayAct && (
          <div class="more">
            <RehearsalPanel event={event} rehearsal={props.rehearsal} commands={props.commands} off={off} connected={live.turnout?.connected ?? [0, 0]} />
          </div>
        )}
      </main>
      <Footer event={event} displayKey={props.displayKey} role={role} />
    </>
  );
}

function useViewState({ live, event, clock, role }: Props): ViewState {
  const now = useMoments(clock, [...phaseMoments(event), ...offerMoments(event), event.notice_until ?? 0]);
  return { event: { ...event, notice: shownNotice(event, now) }, phase: currentPhase(event, now), now, off: live.connection.state !== "joined", mayAct: role !== "viewer" };
}

function Header(props: Props & ViewState) {
  const { event, phase, off, clock, commands, history } = props;
  const cup = cupLink(location.search);
  return (
    <header class="header">
      <a class="back" href="/console/">{t("My events")}</a>
      {cup && <a class="back" href={cup.href}>{cup.name}</a>}
      <h1>{event.name}</h1>
      {props.mayAct && <a class="back" href="#people">{t("People")}</a>}
      <Health event={event} phase={phase} joined={!off} clock={clock} commands={commands} history={history} />
      <RehearsalBadge rehearsal={props.rehearsal} />
      <Join event={event} joinUrl={props.joinUrl} displayKey={props.displayKey} role={props.role} />
    </header>
  );
}

/** All actions that this member may take now, with their keyboard shortcuts. */
function ActionPanel({ event, live, auditLog, phase, now, off, commands }: Props & ViewState) {
  const { entries } = useStore(auditLog.store);
  const offers = useSettledOffers(actionOffers(event, phase, now, closingPrompt(event, live.turnout, entries)));
  const help = useShortcuts(commands, offers, off);
  return (
    <>
      <SoundOffer event={event} commands={commands} off={off} />
      <Controls offers={offers} commands={commands} off={off} next={nextPairing(event, phase, location.search)} />
      <ExtraTime event={event} commands={commands} off={off} />
      {help && <Help />}
    </>
  );
}

function NoticePanel({ event, clock, commands, off }: Props & ViewState) {
  return (
    <div class="panel notices">
      <NoticeForm event={event} clock={clock} commands={commands} off={off} />
      <DisplayParts event={event} commands={commands} off={off} />
    </div>
  );
}
