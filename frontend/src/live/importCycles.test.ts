import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import test from "node:test";

const IMPORT = /(?:^|\n)(?:import|export)\s[^;]*?from "(\.[^"]+)"/g;

const modules = new Set(readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path)));

/** Type imports count, too. */
function importedModules(module: string): string[] {
  const found = [...readFileSync(`src/${module}`, "utf8").matchAll(IMPORT)].map(([, path]) => posix.join(posix.dirname(module), path!));
  return found.flatMap((path) => [`${path}.ts`, `${path}.tsx`]).filter((path) => modules.has(path));
}

/** The first cycle found. */
function findCycle(module: string, way: readonly string[], done: Set<string>): readonly string[] | null {
  if (way.includes(module)) return [...way.slice(way.indexOf(module)), module];
  if (done.has(module)) return null;
  for (const next of importedModules(module)) {
    const cycle = findCycle(next, [...way, module], done);
    if (cycle) return cycle;
  }
  done.add(module);
  return null;
}

test("modules have no import cycles", () => {
  const done = new Set<string>();
  assert.ok(modules.size > 100);
  for (const module of modules) assert.equal(findCycle(module, [], done)?.join(" > "), undefined);
});
