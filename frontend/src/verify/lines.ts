import { createInterface } from "node:readline";
import { verifyText } from "./recount";

// Reads records from the standard input, one a line, and prints the verdict on each with its failed checks.
for await (const line of createInterface({ input: process.stdin })) {
  const { verdict, findings } = verifyText(line);
  console.log(JSON.stringify([verdict, findings.filter(({ outcome }) => outcome === "failed")]));
}
