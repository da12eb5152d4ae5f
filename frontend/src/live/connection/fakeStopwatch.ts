/** For tests: `performance.now` follows the mocked time, and tests can set the device's clock. Importing this module replaces it. */
let aheadMs = 0;
performance.now = () => Date.now() - aheadMs;

/** Set the device's clock, or let the device sleep: a page can't tell them apart. Needs a mocked Date. */
export function setDeviceClock(byMs: number): void {
  const { now } = Date;
  aheadMs += byMs;
  Date.now = () => now() + byMs;
}
