import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { Catalog, LANGUAGES, catalogPath, extractMessages, translateModule } from "./messages";

const messages = extractMessages();

/** Two lines on a phone 320 pixels wide, including a team's name. */
const MAX_LENGTH = 84;
/** Its column is a list: points for all seven columns. */
const POINTS = "Counted: %(column)s. Each tap adds 1; after 5 comes 0.";
/** Texts below the clock during a match. */
const IN_A_MATCH = [
  ...["Both chose %(column)s. %(name)s has the token and drops first.", "Column %(column)s is full: %(name)s loses its drop."],
  ...["Your team picked %(column)s with %(share)s (%(votes)s).", "Your team picked %(column)s: you and %(others)s more, %(share)s."],
  ...["Your team picked %(column)s: you alone, %(share)s.", "The token goes to %(name)s.", "%(name)s is voting. You're next."],
  ...["Counted: your vote for\u00a0%(column)s. You can still change it.", "Not counted yet: your vote for\u00a0%(column)s. We'll keep trying."],
  ...["It was for\u00a0%(column)s. You can change it.", "Your team didn't vote. %(column)s was drawn at random."],
  ...["Nobody on your team voted: you sit this turn out.", "You were with your team in %(turns)s of %(count)s turn."],
  ...["Choose all you like.", "Tap up to three, best first.", "Tap to give points, up to 5 each.", "You are the captain: you decide ties."],
  ...["Counted: %(column)s. Tap more, or tap again to undo.", POINTS],
  ...["Your team picked %(column)s in round %(round)s, with %(share)s."],
  ...["Choose in secret.", "Vote now: everyone sees it.", "%(name)s chooses in secret. You're next.", "%(name)s votes: everyone sees it."],
];
const SAMPLES: { [name: string]: string } = {
  ...{ name: `${"N".repeat(15)}…`, share: "58\u00a0%", votes: "12,345", others: "12,345", turns: "12", count: "12", round: "2", column: "7" },
};

/** Translates a module that contains only this expression, and returns its value. */
function evaluate(language: string, expression: string, values: { [name: string]: unknown } = {}): unknown {
  const catalog = language === "en" ? null : new Catalog(language);
  const code = translateModule(`import { n, nParts, p, parts, t } from "./i18n"; (${expression});`, "module.ts", catalog);
  const plural = /function \$n.*/.exec(code)?.[0] ?? "";
  const body = code.replace(plural, "").replace(/^import[^;]*;/, "");
  return new Function(...Object.keys(values), `${plural} return ${body.trim()}`)(...Object.values(values));
}

const votes = (language: string, count: number) => evaluate(language, 'n("%(count)s vote", "%(count)s votes", count)', { count });

test("catalogs are up to date: run make messages", () => {
  for (const language of LANGUAGES) assert.equal(readFileSync(catalogPath(language), "utf8"), new Catalog(language).merged(messages));
});

test("translations have the placeholders of their messages", () => {
  assert.deepEqual(LANGUAGES.flatMap((language) => new Catalog(language).problems(messages)), []);
});

test("wrong translations are reported, missing ones are not", () => {
  const header = 'msgid ""\nmsgstr "Plural-Forms: nplurals=1; plural=0;\\n"\n';
  const entries = ['msgid "one"\nmsgstr ""', 'msgid "%(a)s"\nmsgstr "%(b)s"'];
  const catalog = new Catalog("de", [header, ...entries].join("\n\n"));
  assert.deepEqual(catalog.problems(["one", "%(a)s"].map((msgid) => ({ msgid, files: [] }))), ['de: other placeholders in "%(b)s": "%(a)s"']);
});

test("a new message has an empty translation for every plural form", () => {
  const added = { msgid: "%(count)s rower", msgid_plural: "%(count)s rowers", files: ["rowers.ts"] };
  const merged = new Catalog("ar", new Catalog("ar").merged([...messages, added]));
  assert.deepEqual(merged.find(added)?.msgstr, Array(6).fill(""));
});

test("calls are replaced by their translations", () => {
  assert.equal(evaluate("de", 't("Join")'), "Mitspielen");
  assert.equal(evaluate("en", 't("Join")'), "Join");
  assert.equal(evaluate("es", 'p("shape", "draw")'), "empate");
  assert.equal(evaluate("fr", 't("%(name)s wins.", { name: t("Join") })'), "Jouer gagne.");
  assert.deepEqual(evaluate("de", 'parts("%(won)s of %(needed)s wins", { won: 1, needed: 2 })'), ["", 1, " von ", 2, " Siegen"]);
});

test("plural forms are those of the catalog", () => {
  assert.deepEqual([votes("en", 1), votes("en", 2)], ["1 vote", "2 votes"]);
  assert.deepEqual([votes("de", 1), votes("de", 0)], ["1 Stimme", "0 Stimmen"]);
  assert.deepEqual([votes("fr", 0), votes("zh-hans", 1)], ["0 voix", "1 票"]);
  const watching = (count: number) => evaluate("de", 'nParts("%(count)s watching", "%(count)s watching", count, { count: [count] })', { count });
  assert.deepEqual([watching(1), watching(2)], [["", [1], " sieht zu"], ["", [2], " sehen zu"]]);
});

test("a message without a translation stays in English", () => {
  const header = 'msgid ""\nmsgstr "Plural-Forms: nplurals=1; plural=0;\\n"\n';
  const code = 'import { n } from "./i18n"; n("%(count)s rower", "%(count)s rowers", count);';
  assert.match(translateModule(code, "module.ts", new Catalog("de", header)), /\[`\$\{count\} rower`, `\$\{count\} rowers`\]\[\+\(count != 1\)\]/);
});

test("a text that is not a literal is an error", () => {
  assert.throws(() => evaluate("en", "t(name)"), /not a literal text/);
});

test("texts during a match are short enough for a small phone", () => {
  const points = [1, 2, 3, 4, 5, 6, 7].map((column) => `${column} ×5`).join(", ");
  for (const msgid of IN_A_MATCH) {
    assert.ok(messages.some((message) => message.msgid === msgid), msgid);
    for (const language of LANGUAGES) {
      for (const form of new Catalog(language).find({ msgid })!.msgstr) {
        const text = form.replace(/%\((\w+)\)s/g, (_, name: string) => msgid === POINTS ? points : SAMPLES[name]!);
        assert.ok(text.length <= MAX_LENGTH, `${language}: ${text.length} characters: ${text}`);
      }
    }
  }
});

test("Arabic has six plural forms, and isolates foreign names", () => {
  assert.deepEqual([0, 1, 2, 3, 11, 100].map((count) => votes("ar", count)), ["لا أصوات", "صوت واحد", "صوتان", "3 أصوات", "11 صوتاً", "100 صوت"]);
  assert.equal(evaluate("ar", 't("%(name)s wins.", { name })', { name: "Ada!" }), "الفوز لـ \u2068Ada!\u2069!");
});
