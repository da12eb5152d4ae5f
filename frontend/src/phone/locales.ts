import { read, write } from "../live/browserStorage";

/**
 * The languages of the phone page by their own names; the codes are those of Django's LANGUAGES. The server sends the
 * page in one language. Changing it reloads the page.
 */
export const LOCALES: { readonly [language: string]: string } = {
  ...{ ar: "العربية", de: "Deutsch", en: "English", es: "Español", fr: "Français", pt: "Português", "zh-hans": "中文" },
};

const STORAGE_KEY = "crowdgame:language";

/** Reloads the page in another language, at the same address, and stores the choice. */
export function setLocale(locale: string): void {
  write(STORAGE_KEY, locale);
  requestLocale(locale);
}

function requestLocale(locale: string): void {
  location.replace(`${location.pathname}?locale=${locale}${location.hash}`);
}

/** Reloads the page if it came in another language than the stored one. Returns whether it does. */
export function switchesLocale(current: string): boolean {
  const wanted = read(STORAGE_KEY);
  if (!wanted || wanted === current || location.search) return false;
  requestLocale(wanted);
  return true;
}
