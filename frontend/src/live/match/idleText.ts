import type { Turn } from "../../protocol";
import { t } from "../i18n";

/** Why a turn has paused by itself, for the console and the big screen. */
export function idleText({ number }: Turn): string {
  return t("Turn %(turn)s: paused, because nobody voted in the last two turns", { turn: number });
}
