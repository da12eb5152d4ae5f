import assert from "node:assert/strict";
import test from "node:test";
import { switchesLocale } from "./locales";

/** The address to which the page moves when it came in the language `current`; null if it stays. */
function open(search: string, current: string): string | null {
  let moved: string | null = null;
  const replace = (address: string): void => void (moved = address);
  Object.assign(globalThis, { location: { search, hash: "#key", replace } });
  return switchesLocale(current) ? moved : null;
}

test("a language in the address is kept in the browser, and later pages move to it", () => {
  const stored = new Map<string, string>();
  Object.assign(globalThis, { localStorage: { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, value: string) => stored.set(key, value) } });
  assert.equal(open("?home=red", "en"), null);
  for (const [asked, language] of [["fr", "fr"], ["zh", "zh-hans"]] as const) {
    assert.equal(open(`?locale=${asked}`, language), null);
    for (const search of ["", "?home=red"]) assert.equal(open(search, "en"), `?locale=${language}#key`);
  }
});
