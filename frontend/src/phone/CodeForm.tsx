import { useState } from "preact/hooks";
import { tidyCode } from "./address";
import { Privacy } from "./Privacy";
import { Token } from "./Shape";

interface Props {
  label: string;
  problem: string;
  /** The longest code has to be seen as a whole. */
  long?: boolean;
  enter: (code: string) => void;
}

/** A code, typed in large letters; spaces, dashes and small letters do no harm. */
export function CodeForm({ label, problem, long, enter }: Props) {
  const [typed, setTyped] = useState("");
  const [empty, setEmpty] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    const code = tidyCode(typed);
    setEmpty(!code);
    if (code) enter(code);
  };
  const error = empty ? "Type the code first." : problem;
  return (
    <main data-status="idle" class="join">
      <div class="pair">
        <Token name="ball-red" />
        <Token name="ball-yellow" />
      </div>
      <form onSubmit={submit}>
        <label for="code">{label}</label>
        <input
          id="code"
          class={long ? "long" : ""}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value.toUpperCase())}
          maxLength={20}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          enterkeyhint="go"
          aria-invalid={!!error}
          aria-describedby="problem"
        />
        <p id="problem" class="problem" role="alert">
          {error}
        </p>
        <button type="submit" class="go">
          Join
        </button>
        <Privacy />
      </form>
    </main>
  );
}
