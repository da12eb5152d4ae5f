import { read, write } from "../live/browserStorage";

/**
 * The languages of the phone page (i18n; translations are in `locale/`), by their own names. The server sends the page
 * in one language; changing it reloads the page.
 */
export const LOCALES = { de: "Deutsch", en: "English", es: "Español", fr: "Français", zh: "中文" } as const;

export type Locale = keyof typeof LOCALES;

const STORAGE_KEY = "crowdgame:locale";

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
