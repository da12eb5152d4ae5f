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

export const t = (text: string, values: Values = {}): string => parts(text, values).join("");

/** A text with a plural form. `count` also fills `%(count)s`, unless `values` has a formatted one. */
export const n = (one: string, many: string, count: number, values: Values = {}): string => t(count === 1 ? one : many, { count, ...values });

/** A text that needs a context: the same English text has other translations elsewhere. */
export const p = (_context: string, text: string, values: Values = {}): string => t(text, values);

/** A text whose values are not strings, for example a link, as an array. */
export const parts = <Value>(text: string, values: { readonly [name: string]: Value }): (string | Value)[] =>
  text.split(PLACEHOLDER).map((part, index) => (index % 2 ? values[part]! : part));
