import { defineConfig, type Plugin } from "vite";
import { inlineFiles } from "./vite.inlined";

const PARTICLES_URL = "%particles%";

/** The display arrives in one piece. The code of its particles is loaded later, from the URL inserted here. */
function inlinedDisplay(): Plugin {
  let particlesUrl = "";
  return {
    name: "inlined-display",
    enforce: "post",
    renderChunk: (code) => (code.includes(PARTICLES_URL) ? { code: code.replace(PARTICLES_URL, particlesUrl), map: null } : null),
    generateBundle(_, bundle) {
      const page = bundle["display.html"];
      if (page?.type === "asset") page.source = inlineFiles(String(page.source), bundle);
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk" && file.name === "particles") particlesUrl = `/${file.fileName}`;
      }
    },
  };
}

// The pages lie beside phone.html; what they load lies under /static/app/.
const common = { target: "es2020", outDir: "dist", emptyOutDir: false, assetsDir: "static/app", modulePreload: false } as const;

const particles = {
  input: { particles: "src/display/particles/renderer.ts" },
  output: { entryFileNames: "static/app/[name]-[hash].js" },
  preserveEntrySignatures: "strict" as const,
};

function part(rolldownOptions: typeof particles | { input: string }) {
  return { consumer: "client" as const, build: { ...common, rolldownOptions } };
}

const PARTS = ["particles", "display", "console"] as const;

export default defineConfig({
  base: "/static/app/",
  publicDir: false,
  plugins: [inlinedDisplay()],
  environments: { particles: part(particles), display: part({ input: "display.html" }), console: part({ input: "console.html" }) },
  builder: {
    sharedConfigBuild: true,
    async buildApp(builder) {
      for (const name of PARTS) await builder.build(builder.environments[name]!);
    },
  },
  experimental: {
    renderBuiltUrl: (name) => "/" + name,
  },
});
