import { read, write } from "../live/browserStorage";

/**
 * The languages of the phone page by their own names; the codes are those of Django's LANGUAGES. The server sends the
 * page in one language. Changing it reloads the page.
 */
export const LOCALES: { readonly [language: string]: string } = {
  ...{ ar: "العربية", de: "Deutsch", en: "English", es: "Español", fr: "Français", pt: "Português", "zh-hans": "中文" },
};

const STORAGE_KEY = "crowdgame:language";

/** Reloads the page in another language, at the same address. */
export function setLocale(locale: string): void {
  location.replace(`?locale=${locale}${location.hash}`);
}

/**
 * Stores the page's language if its address asks for one. Reloads the page if it came in another language than the
 * stored one. Returns whether it does.
 */
export function switchesLocale(current: string): boolean {
  if (/locale=/.test(location.search)) write(STORAGE_KEY, current);
  const wanted = read(STORAGE_KEY);
  if (!wanted || wanted === current) return false;
  setLocale(wanted);
  return true;
}
