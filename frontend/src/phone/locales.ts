import { read, write } from "./seat/storage";

/** The languages of the phone, by their own names. The server sends the page in one of them; the others are a reload away. */
export const LOCALES = { de: "Deutsch", en: "English", es: "Español", fr: "Français", zh: "中文" } as const;

export type Locale = keyof typeof LOCALES;

const STORAGE_KEY = "crowdgame:locale";

/** Asks for the page in another language, at the same address, and from now on. */
export function setLocale(locale: string): void {
  write(STORAGE_KEY, locale);
  requestLocale(locale);
}

function requestLocale(locale: string): void {
  location.replace(`${location.pathname}?locale=${locale}${location.hash}`);
}

/** Goes on in the language that was chosen before, if the page came in another; says whether it does. */
export function switchesLocale(current: string): boolean {
  const wanted = read(STORAGE_KEY);
  if (!wanted || wanted === current || location.search) return false;
  requestLocale(wanted);
  return true;
}
