import { readdirSync } from "node:fs";
import { defineConfig } from "vite";

const tests = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".test.ts")).map((path) => `src/${path}`);

export default defineConfig({
  publicDir: false,
  logLevel: "warn",
  build: {
    ssr: true,
    outDir: "node_modules/.tests",
    emptyOutDir: true,
    rolldownOptions: { input: [...tests, "messages.test.ts"] },
  },
});
