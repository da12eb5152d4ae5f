import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { defineConfig } from "vite";

const CHANGES_GLOBALS = /\b(mock|globalThis|(before|after)(Each)?)\b|\/fake[A-Z]/;
const OTHERS = "node_modules/.test-entry/others.test.ts";

const tests = [...readdirSync("src", { recursive: true, encoding: "utf8" }).map((path) => `src/${path}`), "messages.test.ts"].filter((path) => path.endsWith(".test.ts"));
const alone = tests.filter((path) => CHANGES_GLOBALS.test(readFileSync(path, "utf8")));

// Node starts a process for each file: all tests that leave the globals alone share one.
mkdirSync("node_modules/.test-entry", { recursive: true });
writeFileSync(OTHERS, tests.filter((path) => !alone.includes(path)).map((path) => `import "../../${path}";\n`).join(""));

export default defineConfig({
  publicDir: false,
  logLevel: "warn",
  build: {
    ssr: true,
    outDir: "node_modules/.tests",
    emptyOutDir: true,
    rolldownOptions: { input: [...alone, OTHERS] },
  },
});
