import { useEffect, useState } from "preact/hooks";
import { tidyCode } from "./address";
import { mark } from "./mark";
import { Token } from "./Shape";

/** `/`: the code from the big screen, typed. */
export function Join({ problem, enter }: { problem: string; enter: (code: string) => void }) {
  const [typed, setTyped] = useState("");
  const [empty, setEmpty] = useState(false);
  useEffect(() => mark({ phase: "joining" }));
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
        <label for="code">Type the code from the big screen</label>
        <input
          id="code"
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
      </form>
    </main>
  );
}
