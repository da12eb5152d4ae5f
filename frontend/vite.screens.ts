import { defineConfig, type Plugin, type Rolldown } from "vite";
import { inlineFiles } from "./vite.inlined";

/** The display is one bundle. These parts are loaded later, from the URLs inserted here. */
const LATER = { particles: "src/display/particles/renderer.ts", sound: "src/display/sound/player.ts" } as const;

function inlinedDisplay(): Plugin {
  const urls = new Map<string, string>();
  return {
    name: "inlined-display",
    enforce: "post",
    renderChunk(code) {
      const inserted = [...urls].reduce((all, [name, url]) => all.replace(`%${name}%`, url), code);
      return inserted === code ? null : { code: inserted, map: null };
    },
    generateBundle(_, bundle) {
      const page = bundle["display.html"];
      if (page?.type === "asset") page.source = inlineFiles(String(page.source), bundle);
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk" && file.name in LATER) urls.set(file.name, `/${file.fileName}`);
      }
    },
  };
}

// The pages are written next to phone.html, their assets to /static/app/.
const common = { target: "es2020", outDir: "dist", emptyOutDir: false, assetsDir: "static/app", modulePreload: false } as const;

function later(name: keyof typeof LATER) {
  const output = { entryFileNames: "static/app/[name]-[hash].js" };
  return part({ input: { [name]: LATER[name] }, output, preserveEntrySignatures: "strict" });
}

function part(rolldownOptions: Rolldown.InputOptions & { output?: Rolldown.OutputOptions }) {
  return { consumer: "client" as const, build: { ...common, rolldownOptions } };
}

const PARTS = ["particles", "sound", "display", "console"] as const;

export default defineConfig({
  base: "/static/app/",
  publicDir: false,
  plugins: [inlinedDisplay()],
  environments: { particles: later("particles"), sound: later("sound"), display: part({ input: "display.html" }), console: part({ input: "console.html" }) },
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
