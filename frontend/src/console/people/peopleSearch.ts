import { p, t } from "../../live/i18n";
import { Store } from "../../live/state/store";
import type { EventState, PeopleAsk, PeopleFound, Person, ToConsole } from "../../protocol";
import { plainOffer, type ActionOffer } from "../actions/offers";

const VOTER_CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{6}$/;

/** `people`: the results received so far, of `total`. Null: no answer yet. */
export interface SearchState {
  query: string;
  people: readonly Person[] | null;
  total: number;
}

/** Searches for participants on the server: by name if the event has a class list, and always by voter code. */
export class PeopleSearch {
  readonly store = new Store<SearchState>({ query: "", people: null, total: 0 });

  constructor(private send: (ask: PeopleAsk) => boolean) {}

  receive(message: ToConsole): void {
    if (message.type === "people.found") this.addResults(message);
    const mayAsk = message.type === "console.welcomed" && message.role !== "viewer";
    if (mayAsk || (message.type === "audit.updated" && message.entries.some(({ action }) => action.startsWith("voter.")))) this.search(this.store.get().query);
  }

  search(query: string): void {
    this.store.set({ query });
    this.send({ type: "people.ask", query, skip: 0 });
  }

  loadMore(): void {
    const { query, people } = this.store.get();
    this.send({ type: "people.ask", query, skip: people?.length ?? 0 });
  }

  /** Drops results of an earlier query. */
  private addResults({ query, skip, total, people }: PeopleFound): void {
    const found = this.store.get();
    if (query !== found.query || skip > (found.people?.length ?? 0)) return;
    this.store.set({ people: [...(found.people ?? []).slice(0, skip), ...people], total });
  }
}

/** A voter code formatted as on the phone. */
export function formatVoterCode(voter_code: string): string {
  return `${voter_code.slice(0, 3)}\u00a0${voter_code.slice(3)}`;
}

/** Whether the input may be a voter code. */
export function isVoterCode(typed: string): boolean {
  return VOTER_CODE.test(typed.replace(/[\s-]/g, "").toUpperCase());
}

/** A participant's team and restrictions. */
export function personStatus({ voter_code, team, moved, banned }: Person, { teams }: EventState): string {
  const name = (number: number) => teams[number - 1]!.name;
  const led = teams.find(({ captain }) => captain === voter_code);
  if (banned) return t("Banned");
  if (led) return t("Captain of %(name)s", { name: led.name });
  if (moved) return t("Moved to %(name)s", { name: name(moved) });
  return team ? name(team) : "";
}

/** The actions available for a participant. Nobody can be moved to a team without phones. */
export function personOffers(person: Person, event: EventState): readonly ActionOffer[] {
  const { voter_code, banned, moved } = person;
  const about = (offer: ActionOffer, team?: number): ActionOffer => ({ ...offer, voter_code, team: team ?? null });
  if (banned) return [about(plainOffer("voter.admit"))];
  const elsewhere = event.teams.filter(({ number, hands }) => !hands && number !== (moved ?? person.team));
  const moves = moved
    ? [about(plainOffer("voter.move", p("button", "Move back")))]
    : elsewhere.map(({ name, number }) => about(plainOffer("voter.move", p("button", "Move to %(name)s", { name })), number));
  return [...moves, ...captainOffers(person, event).map((offer) => about(offer, offer.team ?? undefined)), about(plainOffer("voter.kick")), about(plainOffer("voter.ban"))];
}

/** Captain actions, where captains break ties: for the participant's team, or for both if the team is unknown. */
function captainOffers({ voter_code, team, moved }: Person, { teams, captains }: EventState): readonly ActionOffer[] {
  if (!captains) return [];
  if (teams.some(({ captain }) => captain === voter_code)) return [plainOffer("voter.captain", p("button", "End captaincy"))];
  const own = teams.filter(({ number, hands }) => !hands && number === (moved ?? team ?? number));
  return own.map(({ name, number }) => ({ ...plainOffer("voter.captain", p("button", "Make captain of %(name)s", { name })), team: number }));
}
