/** The page's own address: `/`, `/CODE` or `/CODE/1`. */
export interface Address {
  code: string | null;
  team: number | null;
}

export function readAddress(path: string): Address {
  const found = /^\/([^/]+)(?:\/([12]))?\/?$/.exec(path);
  return { code: found ? tidyCode(decodeURIComponent(found[1]!)) : null, team: found?.[2] ? Number(found[2]) : null };
}

export function tidyCode(typed: string): string {
  return typed.replace(/[\s-]/g, "").toUpperCase().slice(0, 16);
}
