/**
 * Marks translatable texts, with the placeholders of Django: `%(name)s`. `messages.ts` extracts the calls into `locale/`,
 * and the build replaces each by its translation. Without a build, as in tests, they return the English text.
 */

type Values = { readonly [name: string]: string | number };

const PLACEHOLDER = /%\((\w+)\)s/;

declare const BUILD_LANGUAGE: string;

/** The language of this build, as in Django's LANGUAGES. */
export const LANGUAGE: string = typeof BUILD_LANGUAGE === "undefined" ? "en" : BUILD_LANGUAGE;

/** For `Intl`: the language, with Latin digits in all of them. */
export const NUMBER_LOCALE: string = LANGUAGE === "ar" ? "ar-u-nu-latn" : LANGUAGE;

type Translate = (context: string, texts: readonly string[], count: number) => string;

export const english: Translate = (_, texts, count) => texts[count === 1 ? 0 : texts.length - 1]!;
let translate = english;

/** Translates the texts where the build does not: in tests. */
export function translateWith(other: Translate): void {
  translate = other;
}

export const t = (text: string, values: Values = {}): string => parts(text, values).join("");

/** A text with a plural form. `count` also fills `%(count)s`, unless `values` has a formatted one. */
export const n = (one: string, many: string, count: number, values: Values = {}): string => fill(translate("", [one, many], count), { count, ...values }).join("");

/** A text that needs a context: the same English text has other translations elsewhere. */
export const p = (context: string, text: string, values: Values = {}): string => fill(translate(context, [text], 1), values).join("");

/** A text whose values are not strings, for example a link, as an array. */
export const parts = <Value>(text: string, values: { readonly [name: string]: Value }): (string | Value)[] => fill(translate("", [text], 1), values);

const fill = <Value>(text: string, values: { readonly [name: string]: Value }): (string | Value)[] =>
  text.split(PLACEHOLDER).map((part, index) => (index % 2 ? values[part]! : part));

/** A text with a plural form, as an array. `values` has a `count`. */
export const nParts = <Value>(one: string, many: string, count: number, values: { readonly [name: string]: Value }): (string | Value)[] =>
  parts(count === 1 ? one : many, values);
