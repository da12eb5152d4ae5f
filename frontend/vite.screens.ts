import { defineConfig } from "vite";

// The pages lie beside phone.html; what they load lies under /static/app/.
export default defineConfig({
  base: "/static/app/",
  publicDir: false,
  build: {
    target: "es2020",
    outDir: "dist",
    emptyOutDir: false,
    assetsDir: "static/app",
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["display.html", "console.html"] },
  },
  experimental: {
    renderBuiltUrl: (name) => "/" + name,
  },
});
