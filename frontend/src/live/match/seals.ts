import type { Reveal, Turn, TurnSealed } from "../../protocol";

/** The later of two seals of a turn is valid: the window was reopened after the earlier one. */
export function laterSeal(known: TurnSealed | null, received: TurnSealed): TurnSealed {
  return known?.turn === received.turn && known.at > received.at ? known : received;
}

/** Whether a turn's window was reopened, which voids its earlier seal. */
export function isReopened(before: Turn | null | undefined, after: Turn | null | undefined): boolean {
  if (!before || before.id !== after?.id) return false;
  return before.closes_at !== after.closes_at || before.epoch !== after.epoch || before.paused !== after.paused;
}

/** A reveal for each turn that it contains: the last one, and the one kept secret until then. */
export function splitReveal(reveal: Reveal): readonly Reveal[] {
  const { concealed } = reveal;
  if (!concealed) return [reveal];
  const { turn, number, side, sealed_at, seed } = concealed;
  const [only, none] = [{ [side]: reveal[side] }, { red: null, yellow: null }];
  return [{ ...reveal, [side]: null }, { ...reveal, ...none, ...only, turn, number, sealed_at, seed }];
}

/** The seal that this reveal must match, if it is for the same turn and time; else null. */
export function matchingSeal(reveal: Reveal, sealed: TurnSealed | null): TurnSealed | null {
  const rooted = reveal.turn_commitment || reveal.red?.root || reveal.yellow?.root;
  return rooted && sealed?.turn === reveal.turn && sealed.at === reveal.sealed_at ? sealed : null;
}
