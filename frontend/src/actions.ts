// Generated from crowdgame/organizer/console/actions/ by `manage.py generate_actions`. Do not edit.
import { p, t } from "./live/i18n";

export type Action = "discussion.start" | "discussion.stop" | "display.renew" | "hands.count" | "joining.lock" | "joining.unlock" | "lobby.open" | "match.abort" | "match.start" | "music.start" | "music.stop" | "notice.clear" | "notice.show" | "part.hide" | "part.show" | "rehearsal.start" | "rehearsal.stop" | "reveal.extend" | "reveal.shorten" | "reveal.start" | "turn.close" | "turn.extend" | "turn.extra_time" | "turn.open" | "turn.pause" | "turn.resume" | "turn.shorten" | "turn.void" | "voter.admit" | "voter.allow_nickname" | "voter.ban" | "voter.captain" | "voter.kick" | "voter.move" | "voter.mute" | "voter.readmit" | "voter.remove_nickname" | "voter.restore_nickname" | "voter.unmute";

/** `done`: the text after success. `confirm`: asks for a second click. `withClocks`: possible with clocks. */
export interface ActionText {
  label: string;
  done: (time: string) => string;
  confirm: string;
  keys: { readonly [key: string]: string };
  withClocks: boolean;
}

export const ACTIONS: { readonly [action in Action]: ActionText } = {
  "discussion.start": { label: p("button", "Turn on"), done: () => t("Teams can write now."), confirm: "", keys: {}, withClocks: true },
  "discussion.stop": { label: p("button", "Turn off"), done: () => t("Voters see no suggestions any more."), confirm: "", keys: {}, withClocks: true },
  "display.renew": { label: p("button", "New display link"), done: () => t("The old display links no longer work. Open the big screen again."), confirm: t("Press again to replace"), keys: {}, withClocks: true },
  "hands.count": { label: p("button", "Send counts"), done: () => t("Counts sent."), confirm: "", keys: {}, withClocks: false },
  "joining.lock": { label: p("button", "Lock joining"), done: () => t("Joining is locked."), confirm: "", keys: { "L": t("Lock or unlock joining") }, withClocks: true },
  "joining.unlock": { label: p("button", "Unlock joining"), done: () => t("Joining is open again."), confirm: "", keys: { "L": t("Lock or unlock joining") }, withClocks: true },
  "lobby.open": { label: p("button", "Open the lobby"), done: () => t("The lobby is open."), confirm: "", keys: {}, withClocks: true },
  "match.abort": { label: p("button", "Abort the match"), done: () => t("The match was aborted."), confirm: t("Press again to abort"), keys: {}, withClocks: true },
  "match.start": { label: "", done: () => t("The match has started."), confirm: "", keys: {}, withClocks: true },
  "music.start": { label: p("button", "Lobby music"), done: () => t("Screens with sound play music."), confirm: "", keys: {}, withClocks: true },
  "music.stop": { label: p("button", "Lobby music"), done: () => t("The lobby music is off."), confirm: "", keys: {}, withClocks: true },
  "notice.clear": { label: p("button", "Clear"), done: () => t("Message cleared."), confirm: "", keys: {}, withClocks: true },
  "notice.show": { label: p("button", "Show"), done: () => t("Shown on all screens."), confirm: "", keys: {}, withClocks: true },
  "part.hide": { label: "", done: () => t("Hidden on all big screens."), confirm: "", keys: {}, withClocks: true },
  "part.show": { label: "", done: () => t("On for all big screens."), confirm: "", keys: {}, withClocks: true },
  "rehearsal.start": { label: p("button", "Start rehearsal"), done: () => t("The rehearsal has started."), confirm: "", keys: {}, withClocks: true },
  "rehearsal.stop": { label: p("button", "Stop rehearsal"), done: () => t("The rehearsal has stopped."), confirm: "", keys: {}, withClocks: true },
  "reveal.extend": { label: p("button", "Reveal +10 s"), done: (time) => t("The reveal lasts %(time)s longer.", { time }), confirm: "", keys: { "R": t("A longer reveal") }, withClocks: false },
  "reveal.shorten": { label: "", done: (time) => t("The reveal lasts %(time)s less.", { time }), confirm: "", keys: {}, withClocks: false },
  "reveal.start": { label: p("button", "Start the reveal"), done: () => t("The reveal has started."), confirm: "", keys: { "Space": t("Next step") }, withClocks: false },
  "turn.close": { label: p("button", "Close now"), done: () => t("Vote closed and counted."), confirm: "", keys: { "C": t("Close now") }, withClocks: false },
  "turn.extend": { label: "", done: (time) => t("%(time)s added.", { time }), confirm: "", keys: { "E": t("A little more time"), "Shift E": t("More time") }, withClocks: false },
  "turn.extra_time": { label: "", done: (time) => t("%(time)s more from the next turn on.", { time }), confirm: "", keys: {}, withClocks: true },
  "turn.open": { label: p("button", "Open the next turn"), done: () => t("The next turn opens."), confirm: "", keys: { "Space": t("Next step") }, withClocks: false },
  "turn.pause": { label: p("button", "Pause"), done: () => t("Paused."), confirm: "", keys: { "P": t("Pause or resume") }, withClocks: false },
  "turn.resume": { label: p("button", "Resume"), done: () => t("Resumed."), confirm: "", keys: { "P": t("Pause or resume") }, withClocks: true },
  "turn.shorten": { label: "", done: (time) => t("%(time)s removed.", { time }), confirm: "", keys: { "S": t("A little less time") }, withClocks: false },
  "turn.void": { label: "", done: () => t("Turn taken back. Teams vote again."), confirm: t("Press again to confirm"), keys: { "U": t("Take back the last turn (press twice)") }, withClocks: true },
  "voter.admit": { label: p("button", "Unban"), done: () => t("Ban lifted."), confirm: "", keys: {}, withClocks: true },
  "voter.allow_nickname": { label: p("button", "Allow nickname"), done: () => t("Allowed."), confirm: "", keys: {}, withClocks: true },
  "voter.ban": { label: p("button", "Ban"), done: () => t("Banned."), confirm: "", keys: {}, withClocks: true },
  "voter.captain": { label: "", done: () => t("Takes effect next turn."), confirm: "", keys: {}, withClocks: true },
  "voter.kick": { label: p("button", "Remove"), done: () => t("Removed."), confirm: "", keys: {}, withClocks: true },
  "voter.move": { label: "", done: () => t("Moved."), confirm: "", keys: {}, withClocks: true },
  "voter.mute": { label: p("button", "Mute"), done: () => t("Muted."), confirm: "", keys: {}, withClocks: true },
  "voter.readmit": { label: p("button", "Let back in"), done: () => t("The phone rejoins in a few seconds."), confirm: "", keys: {}, withClocks: true },
  "voter.remove_nickname": { label: p("button", "Remove nickname"), done: () => t("Removed from all screens."), confirm: "", keys: {}, withClocks: true },
  "voter.restore_nickname": { label: p("button", "Restore nickname"), done: () => t("Restored."), confirm: "", keys: {}, withClocks: true },
  "voter.unmute": { label: p("button", "Unmute"), done: () => t("The voter can write again."), confirm: "", keys: {}, withClocks: true },
};
