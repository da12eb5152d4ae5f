/**
 * The letters and digits of a typed or pasted code, in upper case and with ASCII digits; of an address, those of its
 * last part. `voting/typed_codes.py` does the same.
 */
export function normalizeCode(typed: string): string {
  const address = decode(typed).normalize("NFKC").replace(/[^\p{L}\p{N}/?#]|[\u115f\u1160]/gu, "");
  const last = address.replace(/(\/[12])?\/?(\?[^#]*)?(?=#|$)/, "").split(/[/#]/).pop()!;
  return last.replaceAll("?", "").replace(/\p{Nd}/gu, digitValue).toUpperCase();
}

function decode(typed: string): string {
  try {
    return decodeURIComponent(typed);
  } catch {
    return typed;
  }
}

/** Unicode encodes the ten digits of a script in a row. */
function digitValue(digit: string): string {
  let value = -1;
  for (let point = digit.codePointAt(0)!; /\p{Nd}/u.test(String.fromCodePoint(point)); point--) value++;
  return String(value % 10);
}
