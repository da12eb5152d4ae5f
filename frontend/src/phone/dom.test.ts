import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { html, htmlText } from "./dom";

const htmlString = (...parts: Parameters<typeof html>) => htmlText(html(...parts));

test("what is put in is text, whatever it looks like", () => {
  const name = `<img src=x onerror="alert('&')">`;
  assert.equal(htmlString`<p title="${name}">${name}</p>`.includes("<img"), false);
  assert.equal(htmlString`<b>${name}</b>`, "<b>&#60;img src=x onerror=&#34;alert(&#39;&#38;&#39;)&#34;&#62;</b>");
});

test("nothing that is put in ends an attribute or begins an element", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/["'<>]/.test(htmlString`${text}`)));
});

test("an object from the wire that looks like a page is not taken for one", () => {
  const parsed = JSON.parse('{"text":"<b>","Symbol(crowdgame.safe)":"<b>"}') as string;
  assert.equal(htmlString`<p>${parsed}</p>`.includes("<b>"), false);
});

test("parts are put in as they are, lists one after the other, and what is not there says nothing", () => {
  const items = [1, 2].map((item) => html`<li>${item}</li>`);
  assert.equal(htmlString`<ol ${false}${true}${null}${undefined}>${items}${0}</ol>`, "<ol ><li>1</li><li>2</li>0</ol>");
});

test("the break of a line and its indent say nothing", () => {
  assert.equal(
    htmlString`<p>
      <b>${"two\n  words"}</b>
    </p>`,
    "<p><b>two\n  words</b></p>",
  );
});
