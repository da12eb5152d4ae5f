import { elapsedMs } from "./clock";

const LOOK_EVERY_MS = 1000;
const JUMP_MS = 2000;

/** Calls back when the device's clock and the stopwatch disagree: the device has slept, or its clock was set. */
export function watchClock(jumped: () => void): void {
  let startedAt = Date.now() - elapsedMs();
  const look = () => {
    const before = startedAt;
    startedAt = Date.now() - elapsedMs();
    if (Math.abs(startedAt - before) > JUMP_MS) jumped();
    setTimeout(look, LOOK_EVERY_MS);
  };
  look();
}
