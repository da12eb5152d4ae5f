/** The least milliseconds for which the wall shows a text. In Chinese, two characters count as a word. */
export function readingTime(text: string): number {
  const unspaced = text.match(/[\u3400-\u9fff]/g)?.length ?? 0;
  return 1000 + 250 * (text.replace(/[\u3400-\u9fff]/g, " ").split(/\s+/).filter(Boolean).length + Math.ceil(unspaced / 2));
}
