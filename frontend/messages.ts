import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { po, type GetTextTranslation, type GetTextTranslations } from "gettext-parser";
import { parseSync, Visitor, type Plugin } from "vite";
import { LOCALES } from "./src/phone/locales";

/**
 * The gettext catalogs of the front end, `locale/<language>/LC_MESSAGES/djangojs.po`. `npm run messages` extracts the
 * calls of `src/live/i18n.ts` into them; `translateMessages` replaces the calls in a build.
 */

export const LANGUAGES = Object.keys(LOCALES).filter((language) => language !== "en");
const RIGHT_TO_LEFT = ["ar"];
const CALLS = /\b(t|n|p|parts|nParts)\(/;
const PLACEHOLDER = /%\((\w+)\)s/;
/** Names of people and teams, in any script: isolated from the direction of the text around them. */
const FOREIGN = /%\((name|other|side)\)s/g;
const ISOLATED = "\u2068%($1)s\u2069";

type Call = { name: string; start: number; end: number; context: string; texts: string[]; count: Span | null; values: Map<string, Span> };
type Span = { start: number; end: number };
export type Message = { msgctxt?: string; msgid: string; msgid_plural?: string; files: string[] };

export const textDirection = (language: string): "ltr" | "rtl" => (RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr");

/** "zh-hans" is in `locale/zh_Hans`, as in Django. */
export function catalogPath(language: string): string {
  const [base, script] = language.split("-");
  return `../locale/${base}${script ? `_${script[0]!.toUpperCase()}${script.slice(1)}` : ""}/LC_MESSAGES/djangojs.po`;
}

/** The calls of the functions of `src/live/i18n.ts` in a module, outermost first. Throws if one has other than literal texts. */
function findCalls(code: string, path: string): Call[] {
  const calls: Call[] = [];
  if (!code.includes("/i18n\"") || !CALLS.test(code)) return calls;
  const { program, errors } = parseSync(path, code);
  if (errors.length) throw new Error(`${path}: ${errors[0]!.message}`);
  const visitor = new Visitor({
    CallExpression({ start, end, callee, arguments: given }) {
      if (callee.type !== "Identifier" || !/^(t|n|p|parts|nParts)$/.test(callee.name)) return;
      const { name } = callee;
      const plural = name === "n" || name === "nParts";
      const literals = plural || name === "p" ? 2 : 1;
      const texts = given.slice(0, literals).map((node) => {
        if (node.type !== "Literal" || typeof node.value !== "string") throw new Error(`${path}: not a literal text: ${code.slice(start, end)}`);
        return node.value;
      });
      const values = new Map<string, Span>();
      const last = given[plural ? 3 : literals];
      if (last && last.type !== "ObjectExpression") throw new Error(`${path}: not a literal object: ${code.slice(start, end)}`);
      for (const property of last?.properties ?? []) {
        if (property.type !== "Property" || property.key.type !== "Identifier") throw new Error(`${path}: not a plain property: ${code.slice(start, end)}`);
        values.set(property.key.name, property.value);
      }
      if (plural && !values.has("count")) values.set("count", given[2]!);
      calls.push({ name, start, end, context: name === "p" ? texts.shift()! : "", texts, count: plural ? given[2]! : null, values });
    },
  });
  visitor.visit(program);
  return calls.sort((one, other) => one.start - other.start);
}

/** All messages of the front end, sorted by file. */
export function extractMessages(): Message[] {
  const found = new Map<string, Message>();
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).map((path) => `src/${path}`);
  for (const path of [...sources, "vite.languages.ts"].filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".test.ts")).sort()) {
    for (const { context, texts } of findCalls(readFileSync(path, "utf8"), path)) {
      const key = JSON.stringify([context, texts[0]]);
      const message = found.get(key) ?? { ...(context && { msgctxt: context }), msgid: texts[0]!, ...(texts[1] && { msgid_plural: texts[1] }), files: [] };
      if (message.msgid_plural !== texts[1]) throw new Error(`${path}: two plurals of ${texts[0]}`);
      found.set(key, message);
      const file = `frontend/${path}`;
      if (!message.files.includes(file)) message.files.push(file);
    }
  }
  return [...found.values()];
}

/** The catalog; without one, the headers of the pages' catalog, which `manage.py generate_messages` creates. */
function readCatalog(language: string): string {
  const path = catalogPath(language);
  return existsSync(path) ? readFileSync(path, "utf8") : readFileSync(path.replace("djangojs", "django"), "utf8").split("\n\n", 1)[0]!;
}

export class Catalog {
  private readonly entries: GetTextTranslations;
  /** The index of the form for a count `n`, as an expression of C and JavaScript. */
  readonly plural: string;

  constructor(readonly language: string, text: string = readCatalog(language)) {
    this.entries = po.parse(text, { validation: true });
    this.plural = /plural=([^;]+)/.exec(this.entries.headers["Plural-Forms"] ?? "")?.[1] ?? "";
    if (!/^[n\d\s()?:%<>=!&|]+$/.test(this.plural)) throw new Error(`${language}: no valid Plural-Forms`);
  }

  find({ msgctxt = "", msgid }: Pick<Message, "msgctxt" | "msgid">): GetTextTranslation | undefined {
    return this.entries.translations[msgctxt]?.[msgid];
  }

  /** The forms of a message, of equal length for every message with a plural. Null if it isn't translated: English is shown. */
  forms(msgctxt: string, msgid: string): string[] | null {
    const forms = this.find({ msgctxt, msgid })?.msgstr;
    if (!forms?.length || !forms.every(Boolean)) return null;
    return textDirection(this.language) === "rtl" ? forms.map((form) => form.replace(FOREIGN, ISOLATED)) : forms;
  }

  text(msgid: string): string {
    return this.forms("", msgid)?.[0] ?? msgid;
  }

  /** The form of a message for a count. */
  translate(context: string, texts: readonly string[], count: number): string {
    return (this.forms(context, texts[0]!) ?? texts)[texts.length > 1 ? this.formFor(count) : 0]!;
  }

  private formFor(count: number): number {
    return (new Function("n", `return +(${this.plural})`) as (count: number) => number)(count);
  }

  /** The .po file with exactly these messages. Keeps their translations and comments. */
  merged(messages: Message[]): string {
    const translations: GetTextTranslations["translations"] = { "": { "": this.entries.translations[""]![""]! } };
    for (const { files, ...message } of messages) {
      const old = this.find(message);
      const keeps = old && (old.msgid_plural || undefined) === message.msgid_plural;
      const comments = { ...old?.comments, reference: files.join("\n") } as GetTextTranslation["comments"];
      (translations[message.msgctxt ?? ""] ??= {})[message.msgid] = { ...message, msgstr: keeps ? old.msgstr : Array<string>(message.msgid_plural ? this.formCount : 1).fill(""), comments: comments! };
    }
    return `${po.compile({ ...this.entries, translations }, { foldLength: 0 }).toString().trim()}\n`;
  }

  /** What is wrong with the translations of these messages, one line each. Missing ones are no problem. */
  problems(messages: Message[]): string[] {
    return messages.flatMap((message) => {
      const entry = this.find(message);
      const problem = (text: string) => `${this.language}: ${text}: ${JSON.stringify(message.msgid)}`;
      if (!entry?.msgstr.every(Boolean)) return [];
      const wanted = placeholders(message.msgid_plural ?? message.msgid);
      const isWrong = (form: string, index: number) => !hasPlaceholders(form, wanted, entry.msgstr.length > 1 && this.isForOneCount(index));
      return entry.msgstr.filter(isWrong).map((form) => problem(`other placeholders in ${JSON.stringify(form)}`));
    });
  }

  private get formCount(): number {
    return Number(/nplurals=(\d+)/.exec(this.entries.headers["Plural-Forms"] ?? "")?.[1]);
  }

  private isForOneCount(form: number): boolean {
    return Array.from({ length: 200 }, (_, count) => this.formFor(count)).filter((found) => found === form).length === 1;
  }
}

const placeholders = (text: string) => text.split(PLACEHOLDER).filter((_, index) => index % 2).sort();

/** A form for a single count, such as 1 or 2, may omit one placeholder: the count, whatever its name. */
function hasPlaceholders(form: string, wanted: string[], mayOmitCount: boolean): boolean {
  const found = placeholders(form);
  const omitted = wanted.filter((name) => !found.includes(name));
  return omitted.length <= (mayOmitCount ? 1 : 0) && found.every((name) => wanted.includes(name));
}

/** The module with each call replaced by its translation: a literal, a template string, or a choice by the count. */
export function translateModule(code: string, path: string, catalog: Catalog | null): string {
  const calls = findCalls(code, path);
  const translated = translateSpan({ start: 0, end: code.length });
  const plural = `function $n(n) { return +(${catalog?.plural ?? "n != 1"}); }`;
  return calls.some(({ count }) => count) ? `${translated}\n${plural}\n` : translated;

  function translateSpan({ start, end }: Span): string {
    let [translated, from] = ["", start];
    for (const call of calls) {
      if (call.start < from || call.end > end) continue;
      translated += code.slice(from, call.start) + translation(call);
      from = call.end;
    }
    return translated + code.slice(from, end);
  }

  function translation({ name, context, texts, count, values }: Call): string {
    const translated = catalog ? catalog.forms(context, texts[0]!) : texts;
    const forms = (translated ?? texts).map((form) => (/parts$/i.test(name) ? list(form, values) : template(form, values)));
    if (!count || new Set(forms).size < 2) return forms[0]!;
    return `[${forms.join(", ")}][${translated ? `$n(${translateSpan(count)})` : `+(${translateSpan(count)} != 1)`}]`;
  }

  function template(text: string, values: Map<string, Span>): string {
    if (!PLACEHOLDER.test(text)) return JSON.stringify(text);
    const pieces = text.split(PLACEHOLDER).map((part, index) => (index % 2 ? `\${${translateSpan(values.get(part)!)}}` : part.replace(/[\\`$]/g, "\\$&")));
    return `\`${pieces.join("")}\``;
  }

  function list(text: string, values: Map<string, Span>): string {
    return `[${text.split(PLACEHOLDER).map((part, index) => (index % 2 ? translateSpan(values.get(part)!) : JSON.stringify(part))).join(", ")}]`;
  }
}

/** The catalogs of all languages but English. */
export function loadCatalogs(): ReadonlyMap<string, Catalog> {
  return new Map(LANGUAGES.map((language) => [language, new Catalog(language)]));
}

/** Translates each environment's modules into its language. */
export function translateMessages(languageOf: (environment: string) => string, catalogs: ReadonlyMap<string, Catalog>): Plugin {
  return {
    name: "translate-messages",
    enforce: "pre",
    transform(code, id) {
      if (!/\.tsx?$/.test(id)) return null;
      const translated = translateModule(code, id, catalogs.get(languageOf(this.environment.name)) ?? null);
      return translated === code ? null : { code: translated, map: null };
    },
  };
}

/** Extracts the messages into all catalogs. */
export function updateCatalogs(): void {
  const messages = extractMessages();
  for (const language of LANGUAGES) writeFileSync(catalogPath(language), new Catalog(language).merged(messages));
}
