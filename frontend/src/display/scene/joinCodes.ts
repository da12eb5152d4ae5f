import type { DisplayWelcomed, EventState, KeyShown } from "../../protocol";
import { hasPhones } from "../../live/match/ballotSource";

/** A QR code and the address that it holds. */
export interface JoinCode {
  url: string;
  rows: readonly string[];
}

/** The QR codes of the lobby. `teams`: one for each team, in the order of the state's teams; null if one code serves all. */
export interface JoinCodes {
  event: JoinCode;
  teams: readonly [JoinCode, JoinCode] | null;
}

/** `home`: this is the screen of the state's first team. If teams have their own links, it shows that team's only. */
export function joinCodes({ team_choice, teams }: EventState, home: boolean, shown: DisplayWelcomed | KeyShown): JoinCodes {
  const event = { url: shown.join_url, rows: shown.qr };
  const oneJoins = teams.some((team) => !hasPhones(team) || team.solo);
  if (team_choice !== "link" || oneJoins) return { event, teams: null };
  const [first, second] = [teamCode(shown, teams[0].number), teamCode(shown, teams[1].number)];
  return home ? { event: first, teams: null } : { event, teams: [first, second] };
}

function teamCode({ join_url, team_qrs }: DisplayWelcomed | KeyShown, team: number): JoinCode {
  const [url, key] = join_url.split("#");
  return { url: `${url}/${team}${key ? `#${key}` : ""}`, rows: team_qrs[team - 1]! };
}
