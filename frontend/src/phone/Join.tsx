import { useEffect } from "preact/hooks";
import { CodeForm } from "./CodeForm";
import { mark } from "./mark";

/** `/`: the code from the big screen, typed. */
export function Join({ problem, enter }: { problem: string; enter: (code: string) => void }) {
  useEffect(() => mark({ phase: "joining" }));
  return <CodeForm label="Type the code from the big screen" problem={problem} enter={enter} />;
}
