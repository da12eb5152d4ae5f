import { t } from "../i18n";
import type { Team } from "../../protocol";

const BOT = "bot:";

export function hasPhones({ source }: Team): boolean {
  return source === "phones";
}

export function byHands({ source }: Team): boolean {
  return source === "hands";
}

/** Where the votes of a team without phones come from. */
export function sourceText({ source }: Team): string {
  if (source.startsWith(BOT)) return t("Computer %(strength)s", { strength: source.slice(BOT.length) });
  return source === "hands" ? t("by show of hands") : t("without phones");
}
