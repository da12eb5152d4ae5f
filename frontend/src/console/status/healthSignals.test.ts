import assert from "node:assert/strict";
import test from "node:test";
import { assessHealth, type HealthSignals } from "./healthSignals";

const WELL: HealthSignals = { joined: true, overdueMs: 0, lateMs: 80, tookMs: 120, skewMs: 200 };
const health = (signals: Partial<HealthSignals>) => assessHealth({ ...WELL, ...signals });

test("good health shows the latest measurements", () => {
  assert.deepEqual(health({}), { good: true, text: "All good", more: "last turn counted in 0.08\u00a0s, last command took 0.1\u00a0s" });
  assert.equal(health({ lateMs: null, tookMs: null }).more, "");
});

test("only the most serious problem is shown", () => {
  const grave = { joined: false, overdueMs: 9000, lateMs: 3000, tookMs: 4000 };
  assert.match(health(grave).text, /^No connection/);
  assert.match(health({ ...grave, joined: true }).text, /^Counting is taking longer/);
  assert.equal(health({ ...grave, joined: true, overdueMs: 2000 }).text, "The last turn was counted 3.0\u00a0s late");
  assert.equal(health({ tookMs: 4000 }).text, "Slow: the last command took 4.0\u00a0s");
  assert.deepEqual([health(grave).good, health(grave).more], [false, ""]);
});

test("a wrong device clock is mentioned, but is not a problem", () => {
  assert.ok(health({ skewMs: 200_000 }).good);
  assert.match(health({ skewMs: 200_000 }).more, /clock is 3\u00a0min behind/);
  assert.match(health({ skewMs: -45_000 }).more, /clock is 45\u00a0s ahead/);
});
