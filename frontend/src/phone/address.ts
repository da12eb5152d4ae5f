/** The page's address: `/`, `/CODE` or `/CODE/1`, with an optional ticket or key in the fragment. */
export interface Address {
  code: string | null;
  team: number | null;
  key: string | null;
}

export function readAddress(path: string, hash = ""): Address {
  const found = /^\/([^/]+)(?:\/([12]))?\/?$/.exec(path);
  const code = found ? tidyCode(decodeURIComponent(found[1]!)) : null;
  return { code, team: found?.[2] ? Number(found[2]) : null, key: tidyCode(hash.slice(1)) || null };
}

export function tidyCode(typed: string): string {
  return typed.replace(/[\s-]/g, "").toUpperCase().slice(0, 16);
}
