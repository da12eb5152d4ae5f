import type { Reveal, Turn, TurnSealed } from "../../protocol";

export type Reopening = "time_added" | "box_lost";

/** The first seal of a turn and epoch binds the server. Forget it if `reopening` says that it is void. */
export function bindingSeal(known: TurnSealed | null, received: TurnSealed): TurnSealed {
  return known?.turn === received.turn && !(received.epoch > known.epoch) ? known : received;
}

/**
 * Why a seal is void, if its turn is as given now; else null. `closesAt`: the deadline that was known before, which an
 * early close need not announce.
 */
export function reopening(seal: Pick<TurnSealed, "turn" | "at" | "epoch">, closesAt: number, turn: Turn | null | undefined): Reopening | null {
  if (turn?.id !== seal.turn) return null;
  if (turn.epoch > seal.epoch) return "box_lost";
  return turn.closes_at > seal.at && turn.closes_at !== closesAt ? "time_added" : null;
}

/** A reveal for each turn that it contains: the last one, and the one kept secret until then. */
export function splitReveal(reveal: Reveal): readonly Reveal[] {
  const { concealed } = reveal;
  if (!concealed) return [reveal];
  const { turn, number, side, sealed_at, seed } = concealed;
  const [only, none] = [{ [side]: reveal[side] }, { red: null, yellow: null }];
  return [{ ...reveal, [side]: null }, { ...reveal, ...none, ...only, turn, number, sealed_at, seed }];
}

/** The seal that this reveal must match, if it is for the same turn; else null. */
export function matchingSeal(reveal: Reveal, sealed: TurnSealed | null): TurnSealed | null {
  return sealed?.turn === reveal.turn ? sealed : null;
}
