import type { EnvironmentOptions } from "vite";
import { t } from "./src/live/i18n";
import { type Catalog, LANGUAGES, textDirection } from "./messages";

const DEFAULT = "en";

/** The languages of the pages, each a Vite environment. The default is the first. */
export const PAGE_LANGUAGES: readonly string[] = [DEFAULT, ...LANGUAGES];

/** The texts of the .html files. */
const HTML_TEXTS = [t("This page needs JavaScript."), t("Crowdgame on the big screen"), t("Crowdgame console"), t("Verify a match"), t("Analysis board"), t("Puzzles")];

/** The environment that builds a part of the front end in a language: "page_zh_hans". Such names have no hyphens. */
export const environmentName = (part: string, language: string): string => `${part}_${language.replace("-", "_")}`;

/** The inverse of `environmentName`: the language of "page_zh_hans" is "zh-hans". */
export const environmentLanguage = (environment: string): string => environment.slice(environment.indexOf("_") + 1).replace("_", "-");

/** The settings of each environment in a language. */
export const inLanguage = (language: string): EnvironmentOptions => ({ consumer: "client", define: { BUILD_LANGUAGE: JSON.stringify(language) } });

/** "display.html" in Arabic is "display.ar.html". */
export const pageName = (page: string, language: string): string => (language === DEFAULT ? page : page.replace(".html", `.${language}.html`));

/** An .html file in the catalog's language; `null` for the default. */
export function translateHtml(html: string, catalog: Catalog | null): string {
  if (!catalog) return html;
  const direction = textDirection(catalog.language) === "rtl" ? ' dir="rtl"' : "";
  const translated = html.replace('lang="en"', `lang="${catalog.language}"${direction}`);
  return HTML_TEXTS.reduce((page, text) => page.replace(`>${text}<`, () => `>${catalog.text(text)}<`), translated);
}
