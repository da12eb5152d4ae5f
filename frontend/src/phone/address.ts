const MAX_KEY_LENGTH = 64;

/**
 * The page's address: `/`, `/CODE`, `/CODE/1` or `/embed/CODE/phone`, with an optional ticket or key in the fragment. The server redirects
 * other spellings of a code, and accepts those of a key.
 */
export interface Address {
  code: string | null;
  team: number | null;
  key: string | null;
}

export function readAddress(path: string, hash = ""): Address {
  const found = /\/([^/]+)(?:\/([12]|phone))?\/?$/.exec(path);
  const code = found ? decodeURIComponent(found[1]!).toUpperCase() : null;
  return { code, team: Number(found?.[2]) || null, key: hash.slice(1, MAX_KEY_LENGTH + 1).toUpperCase() || null };
}
