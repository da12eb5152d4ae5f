import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { JsonError, OtherNumber, parseJson, type Json } from "./json";

const whole = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, fc.constant(null), fc.boolean(), fc.maxSafeInteger(), fc.string({ unit: "binary" }), fc.array(tie("value")), fc.dictionary(fc.string(), tie("value"))),
})).value;

/** Plain objects, with which `deepEqual` compares. */
const plain = (value: Json): unknown => JSON.parse(JSON.stringify(value));

test("JSON with whole numbers is parsed as by JSON.parse", () => {
  fc.assert(fc.property(whole, fc.constantFrom(undefined, 1), (value, indent) => {
    const text = JSON.stringify(value, null, indent);
    assert.deepEqual(plain(parseJson(text)), JSON.parse(text));
  }));
});

test("a text is refused if JSON.parse refuses it", () => {
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom(..."{}[]\",:\\u0019.eE-+ tru\nfalsn") }), (text) => {
    const parse = (run: () => unknown) => {
      try {
        run();
        return true;
      } catch {
        return false;
      }
    };
    if (parse(() => parseJson(text))) assert(parse(() => JSON.parse(text)));
  }));
});

test("numbers that no field may have are kept apart", () => {
  for (const text of ["1.0", "1e3", "9007199254740992", "-1.5", "1E400"]) assert(parseJson(text) instanceof OtherNumber, text);
  assert(Object.is(parseJson("-0"), 0));
});

test("values of any length are read or refused", () => {
  const LENGTH = 3_000_000;
  const values = ['"\\n"', '"\\u0041"', '"\\ud800"', '"a"'].map((value) => `"${value.slice(1, -1).repeat(LENGTH)}"`);
  for (const text of [...values, "9".repeat(LENGTH), `${" ".repeat(LENGTH)}1`, `0.${"0".repeat(LENGTH)}`]) assert.doesNotThrow(() => parseJson(text));
  for (const text of [values[0]!.slice(0, -1), `${values[0]!.slice(0, -1)}\\`, `"${"\\x".repeat(LENGTH)}"`]) assert.throws(() => parseJson(text), JsonError);
});

test("duplicate keys and deep nesting are refused", () => {
  assert.throws(() => parseJson('{"a":1,"a":1}'), JsonError);
  assert.throws(() => parseJson("[".repeat(100_000)), JsonError);
});
