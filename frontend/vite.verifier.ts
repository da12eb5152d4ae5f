import { defineConfig } from "vite";

// Builds the checks of /verify as a command, which the tests compare with verify.py.
export default defineConfig({
  publicDir: false,
  logLevel: "warn",
  ssr: { noExternal: true }, // the bundle runs anywhere
  build: { ssr: "src/verify/lines.ts", outDir: "node_modules/.verifier", emptyOutDir: true, target: "node20" },
});
