import { OtherNumber, type Json, type JsonObject } from "./json";

const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** A field is missing or has a wrong type. */
export class FormError extends Error {
  constructor(readonly field: string) {
    super(field);
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof OtherNumber);
}

/** A value of the record with its name, for `FormError`. */
export class Field {
  private readonly value: Json | undefined;

  constructor(container: JsonObject | readonly Json[], private readonly key: string | number, private readonly parent: Field | null = null) {
    this.value = (container as { readonly [key: string | number]: Json | undefined })[key];
  }

  /** Built only for an error: a record has many thousands of fields. */
  private get name(): string {
    const { key, parent } = this;
    if (!parent) return String(key);
    return typeof key === "number" ? `${parent.name}[${key}]` : `${parent.name}.${key}`;
  }

  at(key: string): Field {
    return new Field(this.object(), key, this);
  }

  object(): JsonObject {
    return isObject(this.value) ? this.value : this.fail();
  }

  list<Item>(read: (item: Field) => Item): Item[] {
    const items = Array.isArray(this.value) ? this.value : this.fail();
    return items.map((_, index) => read(new Field(items, index, this)));
  }

  pair(): readonly [Field, Field] {
    const items = this.list((item) => item);
    return items.length === 2 ? [items[0]!, items[1]!] : this.fail();
  }

  /** The value, or null if it is null or missing. */
  optional<Value>(read: (field: Field) => Value): Value | null {
    return this.value === null || this.value === undefined ? null : read(this);
  }

  /** The value, or null if it is null. */
  nullable<Value>(read: (field: Field) => Value): Value | null {
    return this.value === null ? null : read(this);
  }

  /** The value, or null if it is missing. */
  missing<Value>(read: (field: Field) => Value): Value | null {
    return this.value === undefined ? null : read(this);
  }

  text(pattern = /^/): string {
    return typeof this.value === "string" && pattern.test(this.value) && !LONE_SURROGATE.test(this.value) ? this.value : this.fail();
  }

  boolean(): boolean {
    return typeof this.value === "boolean" ? this.value : this.fail();
  }

  number(least = 0): number {
    return typeof this.value === "number" && this.value >= least ? this.value : this.fail();
  }

  oneOf<Value extends string>(values: readonly Value[]): Value {
    return values.find((value) => value === this.value) ?? this.fail();
  }

  fail(): never {
    throw new FormError(this.name);
  }
}
