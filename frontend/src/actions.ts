// Generated from crowdgame/console/actions/ by `manage.py generate_actions`. Edits here are lost.

export type Action = "display.renew" | "hands.count" | "joining.lock" | "joining.unlock" | "lobby.open" | "match.abort" | "match.start" | "notice.clear" | "notice.show" | "part.hide" | "part.show" | "rehearsal.start" | "rehearsal.stop" | "reveal.extend" | "reveal.shorten" | "turn.close" | "turn.extend" | "turn.extra_time" | "turn.pause" | "turn.resume" | "turn.shorten" | "turn.void" | "voter.admit" | "voter.ban" | "voter.captain" | "voter.kick" | "voter.move";

/** `done`: the text after success, in which `{time}` is the time. `confirm`: asks for a second click. */
export interface ActionText {
  label: string;
  done: string;
  confirm: string;
  keys: { readonly [key: string]: string };
}

export const ACTIONS: { readonly [action in Action]: ActionText } = {
  "display.renew": {"label": "New display link", "done": "The old display links no longer work. Open the big screen again.", "confirm": "Press again to replace", "keys": {}},
  "hands.count": {"label": "Send counts", "done": "Counts sent.", "confirm": "", "keys": {}},
  "joining.lock": {"label": "Lock joining", "done": "Joining is locked.", "confirm": "", "keys": {"L": "Lock or unlock joining"}},
  "joining.unlock": {"label": "Unlock joining", "done": "Joining is open again.", "confirm": "", "keys": {"L": "Lock or unlock joining"}},
  "lobby.open": {"label": "Open the lobby", "done": "The lobby is open.", "confirm": "", "keys": {}},
  "match.abort": {"label": "Abort the match", "done": "The match was aborted.", "confirm": "Press again to abort", "keys": {}},
  "match.start": {"label": "", "done": "The match has started.", "confirm": "", "keys": {}},
  "notice.clear": {"label": "Clear", "done": "Message cleared.", "confirm": "", "keys": {}},
  "notice.show": {"label": "Show", "done": "Shown on all screens.", "confirm": "", "keys": {}},
  "part.hide": {"label": "", "done": "Off on all big screens.", "confirm": "", "keys": {}},
  "part.show": {"label": "", "done": "On again on all big screens.", "confirm": "", "keys": {}},
  "rehearsal.start": {"label": "Start rehearsal", "done": "The rehearsal has started.", "confirm": "", "keys": {}},
  "rehearsal.stop": {"label": "Stop rehearsal", "done": "The rehearsal has stopped.", "confirm": "", "keys": {}},
  "reveal.extend": {"label": "Reveal +10 s", "done": "The reveal lasts {time} longer.", "confirm": "", "keys": {"R": "A longer reveal"}},
  "reveal.shorten": {"label": "", "done": "The reveal lasts {time} less.", "confirm": "", "keys": {}},
  "turn.close": {"label": "Close now", "done": "Vote closed and counted.", "confirm": "", "keys": {"C": "Close now"}},
  "turn.extend": {"label": "", "done": "{time} added.", "confirm": "", "keys": {"E": "A little more time", "Shift E": "More time"}},
  "turn.extra_time": {"label": "", "done": "{time} more from the next turn on.", "confirm": "", "keys": {}},
  "turn.pause": {"label": "Pause", "done": "Paused.", "confirm": "", "keys": {"P": "Pause or resume"}},
  "turn.resume": {"label": "Resume", "done": "Resumed.", "confirm": "", "keys": {"P": "Pause or resume"}},
  "turn.shorten": {"label": "", "done": "{time} removed.", "confirm": "", "keys": {"S": "A little less time"}},
  "turn.void": {"label": "", "done": "Turn taken back. Teams vote again.", "confirm": "Press again to confirm", "keys": {"U": "Take back the last turn (press twice)"}},
  "voter.admit": {"label": "Unban", "done": "Ban lifted.", "confirm": "", "keys": {}},
  "voter.ban": {"label": "Ban", "done": "Banned.", "confirm": "", "keys": {}},
  "voter.captain": {"label": "", "done": "Takes effect next turn.", "confirm": "", "keys": {}},
  "voter.kick": {"label": "Remove", "done": "Removed.", "confirm": "", "keys": {}},
  "voter.move": {"label": "", "done": "Moved.", "confirm": "", "keys": {}},
};
