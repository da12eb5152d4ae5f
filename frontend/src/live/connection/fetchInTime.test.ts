import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test, { mock } from "node:test";
import { fetchInTime } from "./fetchInTime";

test("a request without an answer fails in time", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const silent = (_: unknown, options?: RequestInit) => new Promise<Response>((_, fail) => options!.signal!.addEventListener("abort", fail));
  const fetched = mock.method(globalThis, "fetch", silent);
  const answer = fetchInTime("/record/HALL/1.json", 5000, { cache: "reload" });
  mock.timers.tick(5000);
  await assert.rejects(answer);
  assert.equal(fetched.mock.calls[0]!.arguments[1]!.cache, "reload");
  mock.reset();
});

/** The source files in a folder that contain `text`. */
function filesWith(text: string, folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.(ts|tsx|js)$/.test(path) && !/\.test\.ts$|fake/.test(path));
  return files.filter((path) => readFileSync(`${folder}/${path}`, "utf8").includes(text)).sort();
}

test("every request has a time limit", () => {
  assert.deepEqual(filesWith(" fetch(", "src"), ["live/connection/fetchInTime.ts"]);
  assert.deepEqual(filesWith(" fetch(", "../crowdgame"), ["static/page/network.js"]);
  assert.deepEqual(filesWith("new WebSocket(", "src"), ["live/connection/connect.ts", "phone/seat/removal.ts"]);
  assert.deepEqual(filesWith("new WebSocket(", "../crowdgame"), ["play/chat/static/chat/chat.js"]);
});

test("the device's clock is read only to show dates, and to notice that it is wrong", () => {
  const readers = ["console/history/AuditLog.tsx", "console/status/Health.tsx", "live/connection/clockWatch.ts"];
  assert.deepEqual(filesWith("Date.now()", "src"), readers);
  assert.deepEqual(filesWith("Date.now()", "../crowdgame"), []);
});
