import { defineConfig, type Plugin } from "vite";
import { CloseCode } from "./src/protocol";
import { LOCALES } from "./src/phone/locales";
import { inlineFiles } from "./vite.inlined";

const ENGLISH = /\/locale\/en$/;
const DEFERRED_URL = "%deferred%";
/** A module of the phone page, in any subfolder. */
const PHONE_MODULE = /\/src\/(live|phone)\/(\w+\/)*[\w.]+\.ts$/;
const DEFAULT = "en";

/** The URL of each locale's deferred bundle, known once it is built. */
const deferredUrls = new Map<string, string>();
const localeName = (environment: string) => environment.slice(-2);

/** Replaces the English catalog by that of the locale being built, and inserts the URL of its deferred bundle. */
function translated(): Plugin {
  return {
    name: "translated",
    enforce: "pre",
    async resolveId(source, importer) {
      if (!ENGLISH.test(source) || !importer) return null;
      return this.resolve(source.replace(ENGLISH, `/locale/${localeName(this.environment.name)}`), importer, { skipSelf: true });
    },
    transform(code) {
      return code.includes(DEFERRED_URL) ? { code: code.replace(DEFERRED_URL, deferredUrls.get(localeName(this.environment.name)) ?? ""), map: null } : null;
    },
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk" && file.name === "deferred") deferredUrls.set(localeName(this.environment.name), `/${file.fileName}`);
      }
    },
  };
}

const PRIVATE = /\bprivate (\w+)/g;
/** Names of members that only modules in live/ and phone/ use, in the page and its deferred bundle. */
const INTERNAL =
  "blockedBy heldChoice fromServer onStateChange clearSamples roundTripMs keepsSeat hasJumped raiseSequence probeIfSilent addSample formatDuration formatLongTime groundNotices blockedScreen resumeBallot localePicker closedScreen addListeners votesLabel seatChoice codeScreen voterCode shapeText runAction oneDevice onMessage movesText handleKey nextLine takeNewSeat sideChanges".split(
    " ",
  );
const INTERNAL_NAME = new RegExp(`\\b(${INTERNAL.join("|")})\\b`, "g");

/** Shortens private and internal member names, which minifiers don't. */
function shortened(): Plugin {
  return {
    name: "shortened",
    enforce: "pre",
    transform(source, id) {
      if (!PHONE_MODULE.test(id)) return null;
      const code = source.replace(INTERNAL_NAME, (name) => `$_${INTERNAL.indexOf(name).toString(36)}`);
      if (this.environment.name.startsWith("deferred")) return { code, map: null };
      const names = [...code.matchAll(PRIVATE)].map(([, name]) => name!);
      const short = (name: string) => `$${names.indexOf(name).toString(36)}`;
      const renamed = code.replace(/\b(private |this\.)(\w+)/g, (all, before: string, name: string) => (names.includes(name) ? before + short(name) : all));
      return { code: renamed, map: null };
    },
  };
}

/** Inlines scripts and styles into one page per locale, so that a phone sends a single request. */
function inlined(): Plugin {
  return {
    name: "inlined",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["phone.html"];
      if (page?.type !== "asset") return;
      const locale = localeName(this.environment.name);
      page.source = inlineFiles(String(page.source).replace('lang="en"', `lang="${locale}"`), bundle);
      page.fileName = locale === DEFAULT ? "phone.html" : `phone.${locale}.html`;
    },
  };
}

/** The phone compares a few close codes by number and needs no names. */
function numbered(): Plugin {
  const codeNumber = (all: string, name: string) => String(CloseCode[name as keyof typeof CloseCode] ?? all);
  return {
    name: "numbered",
    enforce: "pre",
    transform: (code, id) => (PHONE_MODULE.test(id) ? { code: code.replace(/\bCloseCode\.(\w+)/g, codeNumber), map: null } : null),
  };
}

const common = { target: "es2020", cssTarget: ["chrome80", "safari14"], modulePreload: false, emptyOutDir: false } as const;

/** The first build deletes the files of earlier ones. */
function deferred(locale: string) {
  const output = { entryFileNames: `static/app/deferred.${locale}-[hash].js` };
  return { consumer: "client" as const, build: { ...common, emptyOutDir: locale === DEFAULT, rolldownOptions: { input: { deferred: "src/phone/deferredEntry.ts" }, output, preserveEntrySignatures: "strict" as const } } };
}

function page() {
  return { consumer: "client" as const, build: { ...common, cssCodeSplit: false, assetsInlineLimit: 100_000, rolldownOptions: { input: "phone.html" } } };
}

const others = Object.keys(LOCALES).filter((locale) => locale !== DEFAULT);
const inOrder = [DEFAULT, ...others];

export default defineConfig({
  plugins: [translated(), shortened(), numbered(), inlined()],
  publicDir: false,
  environments: Object.fromEntries(inOrder.flatMap((locale) => [[`deferred_${locale}`, deferred(locale)], [`page_${locale}`, page()]])),
  builder: {
    sharedConfigBuild: true,
    async buildApp(builder) {
      for (const locale of inOrder) {
        await builder.build(builder.environments[`deferred_${locale}`]!);
        await builder.build(builder.environments[`page_${locale}`]!);
      }
    },
  },
});
