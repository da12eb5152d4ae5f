import { p, t } from "../../live/i18n";
import { Store } from "../../live/state/store";
import { hasPhones } from "../../live/match/ballotSource";
import { hasSecretSides } from "../../availability";
import type { EventState, PeopleAsk, PeopleFound, Person, ToConsole } from "../../protocol";
import { plainOffer, type ActionOffer } from "../actions/offers";

const VOTER_CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{6}$/;

const NICKNAME_ACTIONS = {
  none: [],
  waiting: ["voter.allow_nickname", "voter.remove_nickname"],
  allowed: ["voter.remove_nickname"],
  removed: ["voter.restore_nickname"],
} as const;

/** Which people to list. Null: all. */
export interface PeopleFilter {
  query: string;
  team: number | null;
  voted: boolean | null;
}

/**
 * `people`: the results received so far. Null: no answer yet. `more`: where the next page begins, if there is one.
 * `outdated`: they are not those of what is typed and selected now, so a click would hit somebody else.
 */
export interface SearchState extends PeopleFilter {
  people: readonly Person[] | null;
  more: string;
  outdated: boolean;
}

const EVERYBODY: PeopleFilter = { query: "", team: null, voted: null };

/** Lists participants page by page: restricted people, the class list, then connected phones. */
export class PeopleSearch {
  readonly store = new Store<SearchState>({ ...EVERYBODY, people: null, more: "", outdated: false });
  private typed = "";
  private answered = EVERYBODY;
  private id = 0;
  private after = "";

  constructor(private send: (ask: PeopleAsk) => boolean) {}

  receive(message: ToConsole): void {
    if (message.type === "people.found") this.addResults(message);
    const mayAsk = message.type === "console.welcomed" && message.role !== "viewer";
    if (mayAsk || (message.type === "audit.updated" && message.entries.some(({ action }) => action.startsWith("voter.")))) this.search();
  }

  search(filter: Partial<PeopleFilter> = {}): void {
    this.store.set(filter);
    this.type(filter.query ?? this.typed);
    this.ask("");
  }

  /** Call it with each input. Whoever calls `search` waits until the user stops typing. */
  type(query: string): void {
    this.typed = query;
    this.markOutdated();
  }

  loadMore(): void {
    this.ask(this.store.get().more);
  }

  /** Updates a list of one page; a longer one stays as it is. */
  refresh(): void {
    if (this.id && !this.after) this.ask("");
  }

  private ask(after: string): void {
    const { query, team, voted } = this.store.get();
    this.after = after;
    this.send({ type: "people.ask", id: ++this.id, query, team, voted, after });
  }

  /** Drops answers to earlier requests. A phone may be listed twice while others join. */
  private addResults({ id, people, more }: PeopleFound): void {
    if (id !== this.id) return;
    const before = (this.after && this.store.get().people) || [];
    const known = new Set(before.map(({ voter_code }) => voter_code));
    this.store.set({ people: [...before, ...people.filter(({ voter_code }) => !known.has(voter_code))], more });
    this.answered = this.store.get();
    this.markOutdated();
  }

  private markOutdated(): void {
    const { team, voted } = this.store.get();
    this.store.set({ outdated: this.typed !== this.answered.query || team !== this.answered.team || voted !== this.answered.voted });
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
export function personStatus({ voter_code, team, moved, banned, removed }: Person, { teams }: EventState): string {
  const name = (number: number) => teams[number - 1]!.name;
  const led = teams.find(({ captain }) => captain === voter_code);
  if (banned) return t("Banned");
  if (removed) return t("Removed");
  if (led) return t("Captain of %(name)s", { name: led.name });
  if (moved) return t("Moved to %(name)s", { name: name(moved) });
  return team ? name(team) : "";
}

/** The actions available for a participant. Nobody can be moved to a team without phones, or while sides are secret. */
export function personOffers(person: Person, event: EventState): readonly ActionOffer[] {
  const { voter_code, banned, removed, moved } = person;
  const about = (offer: ActionOffer, team?: number): ActionOffer => ({ ...offer, voter_code, team: team ?? null });
  if (banned) return [about(plainOffer("voter.admit"))];
  const names = NICKNAME_ACTIONS[person.nickname_status].map((action) => ({ ...about(plainOffer(action)), text: person.nickname }));
  if (removed) return [...names, about(plainOffer("voter.readmit")), about(plainOffer("voter.ban"))];
  const elsewhere = event.teams.filter((team) => hasPhones(team) && team.number !== (moved ?? person.team));
  const moves = moved
    ? [about(plainOffer("voter.move", p("button", "Move back")))]
    : elsewhere.map(({ name, number }) => about(plainOffer("voter.move", p("button", "Move to %(name)s", { name })), number));
  return [...names, ...(hasSecretSides(event.match) ? [] : moves), ...captainOffers(person, event).map((offer) => about(offer, offer.team ?? undefined)), about(plainOffer("voter.kick")), about(plainOffer("voter.ban"))];
}

/** Captain actions, where captains break ties: for the participant's team, or for both if the team is unknown. */
function captainOffers({ voter_code, team, moved }: Person, { teams, captains }: EventState): readonly ActionOffer[] {
  if (!captains) return [];
  if (teams.some(({ captain }) => captain === voter_code)) return [plainOffer("voter.captain", p("button", "End captaincy"))];
  const own = teams.filter((one) => hasPhones(one) && one.number === (moved ?? team ?? one.number));
  return own.map(({ name, number }) => ({ ...plainOffer("voter.captain", p("button", "Make captain of %(name)s", { name })), team: number }));
}
