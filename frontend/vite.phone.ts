import { defineConfig, type Plugin } from "vite";
import { CloseCode } from "./src/protocol";
import { TONGUES } from "./src/phone/tongues";

const ENGLISH = /\/tongue\/en$/;
const LATER = "%later%";
const DEFAULT = "en";

/** The address of each language's second part, known once it is built. */
const laterOf = new Map<string, string>();
const tongueOf = (environment: string) => environment.slice(-2);

/** The words of the language that is built, in place of the English ones; and where its second part lies. */
function spoken(): Plugin {
  return {
    name: "spoken",
    enforce: "pre",
    async resolveId(source, importer) {
      if (!ENGLISH.test(source) || !importer) return null;
      return this.resolve(source.replace(ENGLISH, `/tongue/${tongueOf(this.environment.name)}`), importer, { skipSelf: true });
    },
    transform(code) {
      return code.includes(LATER) ? { code: code.replace(LATER, laterOf.get(tongueOf(this.environment.name)) ?? ""), map: null } : null;
    },
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk" && file.name === "later") laterOf.set(tongueOf(this.environment.name), `/${file.fileName}`);
      }
    },
  };
}

const PRIVATE = /\bprivate (\w+)/g;

/** Nobody but its class knows a private name: it may be a short one. */
function shortened(): Plugin {
  return {
    name: "shortened",
    enforce: "pre",
    transform(code, id) {
      if (this.environment.name.startsWith("later") || !/\/src\/(live|phone)\/\w+\.ts$/.test(id)) return null;
      const names = [...code.matchAll(PRIVATE)].map(([, name]) => name!);
      const short = (name: string) => `$${names.indexOf(name).toString(36)}`;
      const renamed = code.replace(/\b(private |this\.)(\w+)/g, (all, before: string, name: string) => (names.includes(name) ? before + short(name) : all));
      return { code: renamed, map: null };
    },
  };
}

/** Puts script and style into the page itself, so that a phone asks for one thing only: a page a language. */
function inlined(): Plugin {
  return {
    name: "inlined",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["phone.html"];
      if (page?.type !== "asset") return;
      const tongue = tongueOf(this.environment.name);
      let html = String(page.source).replace('lang="en"', `lang="${tongue}"`).replace(/\n\s*/g, "");
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        const text = file.type === "chunk" ? file.code : String(file.source);
        const tag = new RegExp(`<(script|link)[^>]*${name.replace(/[.]/g, "[.]")}"[^>]*>(</script>)?`);
        if (!tag.test(html)) throw new Error(`phone.html must hold everything, but ${name} was split off`);
        const block =
          file.type === "chunk"
            ? `<script type="module">${text.trim().replace(/<\/script/g, "<\\/script").replace(/\n\s*/g, "")}</script>`
            : `<style>${text.replace(/\/\*.*?\*\//g, "").trim()}</style>`;
        html = html.replace(tag, () => block);
        delete bundle[name];
      }
      page.source = html;
      page.fileName = tongue === DEFAULT ? "phone.html" : `phone.${tongue}.html`;
    },
  };
}

/** Of all the close codes a phone knows a few by number, and needs none by name. */
function numbered(): Plugin {
  const numberOf = (all: string, name: string) => String(CloseCode[name as keyof typeof CloseCode] ?? all);
  return {
    name: "numbered",
    enforce: "pre",
    transform: (code, id) => (/\/src\/(live|phone)\/\w+\.ts$/.test(id) ? { code: code.replace(/\bCloseCode\.(\w+)/g, numberOf), map: null } : null),
  };
}

const common = { target: "es2020", cssTarget: ["chrome80", "safari14"], modulePreload: false, emptyOutDir: false } as const;

/** The first of all builds clears away what was built before. */
function later(tongue: string) {
  const output = { entryFileNames: `static/app/later.${tongue}-[hash].js` };
  return { consumer: "client" as const, build: { ...common, emptyOutDir: tongue === DEFAULT, rolldownOptions: { input: { later: "src/phone/later.ts" }, output, preserveEntrySignatures: "strict" as const } } };
}

function page() {
  return { consumer: "client" as const, build: { ...common, cssCodeSplit: false, assetsInlineLimit: 100_000, rolldownOptions: { input: "phone.html" } } };
}

const others = Object.keys(TONGUES).filter((tongue) => tongue !== DEFAULT);
const inOrder = [DEFAULT, ...others];

export default defineConfig({
  plugins: [spoken(), shortened(), numbered(), inlined()],
  publicDir: false,
  environments: Object.fromEntries(inOrder.flatMap((tongue) => [[`later_${tongue}`, later(tongue)], [`page_${tongue}`, page()]])),
  builder: {
    sharedConfigBuild: true,
    async buildApp(builder) {
      for (const tongue of inOrder) {
        await builder.build(builder.environments[`later_${tongue}`]!);
        await builder.build(builder.environments[`page_${tongue}`]!);
      }
    },
  },
});
