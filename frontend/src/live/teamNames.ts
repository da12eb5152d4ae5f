/** Short forms of a team's name. Words that both names share at their start or end are left out first. */

/** Chinese and Japanese characters count as words: a line may end after each of them. */
const CJK = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
const WORD = new RegExp(`[${CJK}] ?|[^ ${CJK}]+ ?`, "gu");
/** What a line may end after: also a hyphen. No line begins with an ellipsis that follows a letter. */
const BREAKABLE = new RegExp(`[${CJK}]…? ?|[^ ${CJK}-]*-+…? ?|[^ ${CJK}-]+ ?`, "gu");
/** What a short form keeps of a shared start, if there is room. */
const HINT = new RegExp(`^([${CJK}]{1,2}|[^ -]+-?)`, "u");
/** Arabic letters that the next one joins: a cut after them would change their shape. */
const JOINING = /(?![\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0649\u0671\u0688\u0691\u0698\u06c0-\u06cb\u06d2\u06d3\u06d5])\p{Script=Arabic}\p{Mark}*$/u;
const NO_BREAK = "\u00a0";

type Fits = (text: string) => boolean;

/** The longest form of a name that fits; if none does, the shortest one with an ellipsis in its middle. */
export function shortName(name: string, other: string, fits: Fits): string {
  return nameForms(name, other).find(fits) ?? cutName(name, other, fits);
}

/** The name and shorter forms of it, longest first, down to the words that differ. None is also a form of the other. */
export function nameForms(name: string, other: string): string[] {
  const others = formsOf(other, name);
  return formsOf(name, other).filter((form) => form === name || !others.includes(form));
}

function formsOf(name: string, other: string): string[] {
  const { before, middle, after } = compareNames(name, other);
  const gap = name.includes(" ") ? NO_BREAK : "";
  const starts = before ? [...hints(before, gap), `…${gap}`] : [""];
  const rest = (middle + after).trim();
  const cut = `${middle.trim()}${gap}…`;
  const forms = [...starts.map((start) => start + rest), ...(after ? starts.slice(-2).map((start) => start + cut) : []), middle.trim()];
  return [name, ...forms.filter((form) => form.length < name.length)];
}

/** The first word of a shared start, and what it begins with. */
function hints(before: string, gap: string): string[] {
  const space = gap && " ";
  const texts = new Set([/^[^ ]+/.exec(before)![0], HINT.exec(before)![0]]);
  return [...texts].map((text) => (text.endsWith("-") ? `${text}…${space}` : `${text}${space}…${gap}`));
}

/** A name as its words before, in and after the part that differs, which is never empty. */
function compareNames(name: string, other: string): { before: string; middle: string; after: string } {
  const [own, others] = [split(name, WORD), split(other, WORD)];
  const most = name === other ? 0 : Math.min(own.length, others.length) - 1;
  const start = sharedCount(own, others, most);
  const end = sharedCount([...own].reverse(), [...others].reverse(), most - start);
  const part = (from: number, to: number) => own.slice(from, to).join("");
  return { before: part(0, start), middle: part(start, own.length - end), after: part(own.length - end, own.length) };
}

function sharedCount(own: readonly string[], others: readonly string[], most: number): number {
  let count = 0;
  while (count < most && own[count]!.trim() === others[count]!.trim()) count++;
  return count;
}

const split = (text: string, pattern: RegExp): string[] => text.match(pattern) ?? [text];

/** Leaves out words in the middle or at the end of the part that differs; of a single word, letters in its middle. */
function cutName(name: string, other: string, fits: Fits): string {
  const words = split(compareNames(name, other).middle.trim(), WORD);
  for (let kept = words.length - 1; kept > 0; kept--) {
    const parts = [halves(words, kept), [words.slice(0, kept), []]];
    const text = parts.map((part) => part.map((half) => half.join("").trim()).join(" … ").trim().replace(/ …$/, `${NO_BREAK}…`)).find(fits);
    if (text) return text;
  }
  const [letters, others] = [words[0]!, split(compareNames(other, name).middle, WORD)[0]!].map((word) => splitLetters(word.trim()));
  for (let kept = letters!.length - 1; kept > 2; kept--) {
    const text = cutWord(letters!, others!, kept);
    if (fits(text)) return text;
  }
  return cutWord(letters!, others!, 2);
}

function halves<Item>(items: readonly Item[], kept: number): [Item[], Item[]] {
  const head = Math.ceil(kept / 2);
  return [items.slice(0, head), items.slice(items.length - (kept - head))];
}

/** The start and end of a word; its first letter and what follows the shared letters if only the middle differs. */
function cutWord(letters: readonly string[], others: readonly string[], kept: number): string {
  const most = Math.min(letters.length, others.length);
  const start = sharedCount(letters, others, most);
  const end = sharedCount([...letters].reverse(), [...others].reverse(), most - start);
  const [head, tail] = halves(letters, kept);
  if (start < head.length || end < tail.length) return `${head.join("")}…${tail.join("")}`;
  return `${letters[0]}…${letters.slice(start, start + kept - 1).join("")}…`;
}

/** Graphemes, with Arabic letters that are joined in one group. */
function splitLetters(word: string): string[] {
  const graphemes = "Segmenter" in Intl ? [...new Intl.Segmenter().segment(word)].map(({ segment }) => segment) : (word.match(/\P{Mark}\p{Mark}*/gu) ?? [word]);
  return graphemes.reduce<string[]>((groups, letter) => {
    const last = groups[groups.length - 1];
    return last && JOINING.test(last) ? [...groups.slice(0, -1), last + letter] : [...groups, letter];
  }, []);
}

/** How many lines of a width a name takes; Infinity if a word of it is wider. */
export function lineCount(name: string, width: number, measure: (text: string) => number): number {
  let [lines, line] = [1, ""];
  for (const piece of split(name, BREAKABLE)) {
    if (measure(piece.trim()) > width) return Infinity;
    if (measure((line + piece).trim()) > width) [lines, line] = [lines + 1, ""];
    line += piece;
  }
  return lines;
}
