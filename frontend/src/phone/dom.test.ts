import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { html, htmlText } from "./dom";

const htmlString = (...parts: Parameters<typeof html>) => htmlText(html(...parts));

test("inserted values are always text", () => {
  const name = `<img src=x onerror="alert('&')">`;
  assert.equal(htmlString`<p title="${name}">${name}</p>`.includes("<img"), false);
  assert.equal(htmlString`<b>${name}</b>`, "<b>&#60;img src=x onerror=&#34;alert(&#39;&#38;&#39;)&#34;&#62;</b>");
});

test("inserted values never end an attribute or start an element", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/["'<>]/.test(htmlString`${text}`)));
});

test("a parsed object that imitates safe HTML is escaped", () => {
  const parsed = JSON.parse('{"text":"<b>","Symbol(safe)":"<b>"}') as string;
  assert.equal(htmlString`<p>${parsed}</p>`.includes("<b>"), false);
});

test("nested parts are inserted as they are, lists are joined, and empty values are omitted", () => {
  const items = [1, 2].map((item) => html`<li>${item}</li>`);
  assert.equal(htmlString`<ol ${false}${true}${null}${undefined}>${items}${0}</ol>`, "<ol ><li>1</li><li>2</li>0</ol>");
});

test("line breaks and indents of the template are removed", () => {
  assert.equal(
    htmlString`<p>
      <b>${"two\n  words"}</b>
    </p>`,
    "<p><b>two\n  words</b></p>",
  );
});
