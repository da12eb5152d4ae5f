import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { normalizeCode } from "./typedCode";

const CASES = JSON.parse(readFileSync("../tests/voting/typed_codes.json", "utf8")) as { [code: string]: string[] };

test("codes are read in every spelling that the server accepts", () => {
  for (const [code, spellings] of Object.entries(CASES)) {
    for (const typed of spellings) assert.equal(normalizeCode(typed), code, JSON.stringify(typed));
  }
});
