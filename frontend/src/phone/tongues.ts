import { read, write } from "./seat";

/** The languages of the phone, by their own names. The server sends the page in one of them; the others are a reload away. */
export const TONGUES = { de: "Deutsch", en: "English", es: "Español", fr: "Français", zh: "中文" } as const;

export type Tongue = keyof typeof TONGUES;

const KEPT = "crowdgame:tongue";

/** Asks for the page in another language, at the same address, and from now on. */
export function speak(tongue: string): void {
  write(KEPT, tongue);
  ask(tongue);
}

function ask(tongue: string): void {
  location.replace(`${location.pathname}?tongue=${tongue}${location.hash}`);
}

/** Goes on in the language that was chosen before, if the page came in another; says whether it does. */
export function speaksAnother(spoken: string): boolean {
  const wanted = read(KEPT);
  if (!wanted || wanted === spoken || location.search) return false;
  ask(wanted);
  return true;
}
