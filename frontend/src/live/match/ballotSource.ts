import { t } from "../i18n";
import type { EventState, Team } from "../../protocol";

const BOT = "bot:";
const CHAT = "twitch:";
const DISCORD = "discord:";

export function hasPhones({ source }: Team): boolean {
  return source === "phones";
}

export function byHands({ source }: Team): boolean {
  return source === "hands";
}

export function byDiscord({ source }: Pick<Team, "source">): boolean {
  return source.startsWith(DISCORD);
}

/** Where the votes of a team without phones come from. */
export function sourceText({ source }: Team): string {
  if (source.startsWith(BOT)) return t("Computer %(strength)s", { strength: source.slice(BOT.length) });
  if (source.startsWith(CHAT)) return t("by chat");
  if (byDiscord({ source })) return t("by Discord");
  return source === "hands" ? t("by show of hands") : t("without phones");
}

/** Where the votes come from, to stand beside the team's name; empty if the name says the same. */
export function sourceLabel(team: Team): string {
  const text = sourceText(team);
  return text === team.name ? "" : text;
}

/** Whether anyone can read a team's votes before the reveal. Gateways of the previous version don't send it. */
export function hasPublicVotes({ teams }: Pick<EventState, "teams">): boolean {
  return teams.some((team) => team.is_public);
}

export const publicVotes = (): string => t("Votes in chat are public");
