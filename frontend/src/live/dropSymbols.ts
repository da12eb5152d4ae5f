/** The symbols that mark drops, by the number that the server sends. None has an emoji form. */
const SYMBOLS = "★✚♠♣♥▲◆✿♪☂⚑✖";

export function dropSymbol(number: number): string {
  return `${SYMBOLS[number % SYMBOLS.length]!}\ufe0e`;
}
