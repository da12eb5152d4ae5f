import { specialRulesTitle } from "./demonstration";
import "./introduction.css";

/** Special rules of the match, before its first turn. */
export function SpecialRules({ rules }: { rules: readonly string[] }) {
  return (
    <section class="special-rules">
      <h2>{specialRulesTitle()}</h2>
      <ul>{rules.map((rule) => <li key={rule}>{rule}</li>)}</ul>
    </section>
  );
}
