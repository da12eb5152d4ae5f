import { defineConfig, type Plugin, type Rolldown } from "vite";
import { loadCatalogs, translateMessages } from "./messages";
import { inlineFiles } from "./vite.inlined";
import { PAGE_LANGUAGES, environmentLanguage, environmentName, inLanguage, pageName, translateHtml } from "./vite.languages";

/** Parts without texts that the display loads later, from the URLs inserted here. */
const LATER = { particles: "src/display/particles/renderer.ts", sound: "src/display/sound/player.ts" } as const;
/** A module that pages outside the front end import by its name. */
const SHARED = { teamNames: "src/live/teamNames.ts" } as const;
const PAGES = ["display.html", "console.html", "verify.html", "analysis.html", "puzzles.html"] as const;
const catalogs = loadCatalogs();

/** Writes the pages in the environment's language. The display is one file. */
function pages(): Plugin {
  const urls = new Map<string, string>();
  return {
    name: "pages",
    enforce: "post",
    renderChunk(code) {
      const inserted = [...urls].reduce((all, [name, url]) => all.replace(`%${name}%`, url), code);
      return inserted === code ? null : { code: inserted, map: null };
    },
    generateBundle(_, bundle) {
      const language = environmentLanguage(this.environment.name);
      for (const name of PAGES) {
        const page = bundle[name];
        if (page?.type !== "asset") continue;
        const html = translateHtml(String(page.source), catalogs.get(language) ?? null);
        page.source = name === "display.html" ? inlineFiles(html, bundle) : html;
        page.fileName = pageName(name, language);
      }
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk" && file.name in LATER) urls.set(file.name, `/${file.fileName}`);
      }
    },
  };
}

/** Removes the older format of the fonts: every browser that can run the pages reads woff2. */
const withoutWoff: Plugin = {
  name: "withoutWoff",
  enforce: "pre",
  transform: (code, id) => (id.includes("/@fontsource/") ? { code: code.replace(/, url\(\S+\.woff\)[^;]*/g, ""), map: null } : null),
};

// The pages are written next to phone.html, their assets to /static/app/.
const ASSETS = "static/app";
const common = { target: "es2020", outDir: "dist", emptyOutDir: false, assetsDir: ASSETS, modulePreload: false, reportCompressedSize: false } as const;

function script(input: Record<string, string>, entryFileNames = "static/app/[name]-[hash].js") {
  const rolldownOptions: Rolldown.InputOptions & { output: Rolldown.OutputOptions } = { input, output: { entryFileNames }, preserveEntrySignatures: "strict" };
  return { consumer: "client" as const, build: { ...common, rolldownOptions } };
}

function pagesIn(language: string) {
  return PAGES.map((input) => [environmentName(input.replace(".html", ""), language), { ...inLanguage(language), build: { ...common, rolldownOptions: { input } } }] as const);
}

/** In the order of their builds: the display inserts the URLs of its later parts. */
const environments = Object.fromEntries([["particles", script({ particles: LATER.particles })], ["sound", script({ sound: LATER.sound })], ["teamNames", script(SHARED, "static/app/[name].js")], ...PAGE_LANGUAGES.flatMap(pagesIn)]);

export default defineConfig({
  base: "/static/app/",
  publicDir: false,
  plugins: [withoutWoff, translateMessages(environmentLanguage, catalogs), pages()],
  build: { assetsDir: ASSETS }, // of workers, which belong to no environment
  environments,
  builder: {
    sharedConfigBuild: true,
    async buildApp(builder) {
      for (const name of Object.keys(environments)) await builder.build(builder.environments[name]!);
    },
  },
  experimental: {
    renderBuiltUrl: (name) => "/" + name,
  },
});
