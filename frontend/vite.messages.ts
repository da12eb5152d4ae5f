import { defineConfig } from "vite";

// Builds the script of `npm run messages`.
export default defineConfig({
  publicDir: false,
  logLevel: "warn",
  build: { ssr: "messages.update.ts", outDir: "node_modules/.messages", emptyOutDir: true },
});
