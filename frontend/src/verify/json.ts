/** A number that is not a whole one up to 2^53 - 1, or is not written as one (`1.0`). No field of a record has such a value. */
export class OtherNumber {
  constructor(readonly text: string) {}
}

export type Json = null | boolean | number | string | OtherNumber | Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export class JsonError extends Error {}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
/** A string without escapes, which needs no decoding. */
const PLAIN_STRING = /"[^"\\\u0000-\u001f]*"/y;
const WORD = /true|false|null/y;
const WORDS: Record<string, boolean | null> = { true: true, false: false, null: null };
const MAX_DEPTH = 64;

/** Parses JSON. Unlike `JSON.parse`, it tells `1.0` from `1` and refuses duplicate keys. Throws `JsonError`. */
export function parseJson(text: string): Json {
  return new Parser(text).parse();
}

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  parse(): Json {
    const value = this.value(0);
    this.skipSpace();
    if (this.at < this.text.length) throw new JsonError("text after the end");
    return value;
  }

  private value(depth: number): Json {
    if (depth > MAX_DEPTH) throw new JsonError("nested too deeply");
    this.skipSpace();
    const first = this.text[this.at];
    if (first === "{") return this.object(depth);
    if (first === "[") return this.array(depth);
    if (first === '"') return this.string();
    const word = this.take(WORD);
    return word ? WORDS[word]! : this.number();
  }

  private object(depth: number): JsonObject {
    const members = Object.create(null) as { [key: string]: Json };
    this.list("}", () => {
      this.skipSpace();
      const key = this.string();
      if (!this.skip(":")) throw new JsonError("a key without a value");
      if (key in members) throw new JsonError("a key twice");
      members[key] = this.value(depth + 1);
    });
    return members;
  }

  private array(depth: number): Json[] {
    const items: Json[] = [];
    this.list("]", () => items.push(this.value(depth + 1)));
    return items;
  }

  private list(end: string, readItem: () => void): void {
    this.at++;
    if (this.skip(end)) return;
    do readItem();
    while (this.skip(","));
    if (!this.skip(end)) throw new JsonError("an unfinished list");
  }

  private string(): string {
    const plain = this.take(PLAIN_STRING);
    if (plain) return plain.slice(1, -1);
    return decodeString(this.takeString());
  }

  /** A string with its quotes. No pattern: one with alternatives overflows the stack in long strings. */
  private takeString(): string {
    const start = this.at;
    if (this.text[start] !== '"') throw new JsonError("not a value");
    let end = start + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === "\\" ? 2 : 1;
    this.at = end + 1;
    return this.text.slice(start, this.at);
  }

  private number(): number | OtherNumber {
    const text = this.take(NUMBER);
    if (!text) throw new JsonError("not a value");
    const value = Number(text) + 0;
    return /[.eE]/.test(text) || !Number.isSafeInteger(value) ? new OtherNumber(text) : value;
  }

  private skip(char: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private skipSpace(): void {
    this.take(SPACE);
  }

  private take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found && found[0];
  }
}

function decodeString(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonError("not a value");
    throw error;
  }
}
