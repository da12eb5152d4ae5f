import type { EventState } from "../../protocol";
import { specialRules, specialRulesTitle } from "./demonstration";
import "./introduction.css";

/** The special rules of the match, before its first turn. */
export function SpecialRules({ state }: { state: EventState }) {
  return (
    <section class="special-rules">
      <h2>{specialRulesTitle()}</h2>
      <ul>{specialRules(state).map((rule) => <li key={rule}>{rule}</li>)}</ul>
    </section>
  );
}
