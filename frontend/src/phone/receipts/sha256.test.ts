import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { sha256 } from "./sha256";

const hex = (bytes: readonly number[]) => Buffer.from(bytes).toString("hex");

test("sha256 matches the examples of the standard", () => {
  const of = (text: string) => hex(sha256([...Buffer.from(text)]));
  assert.equal(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.equal(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.equal(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
});

test("sha256 matches Node for every length around block boundaries", () => {
  for (let length = 0; length <= 200; length++) {
    const message = Array.from({ length }, (_, i) => (i * 37 + length) % 256);
    assert.equal(hex(sha256(message)), createHash("sha256").update(Buffer.from(message)).digest("hex"), `${length} bytes`);
  }
});

test("no constant is so close to a boundary that rounding could change it", () => {
  for (let prime = 2; prime < 312; prime++)
    for (const root of [Math.sqrt(prime), Math.cbrt(prime)]) {
      const rest = (root * 2 ** 32) % 1;
      assert.ok(root % 1 === 0 || (rest > 1e-4 && rest < 1 - 1e-4), `${prime}`);
    }
});
