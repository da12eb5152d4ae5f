import { defineConfig, type Plugin } from "vite";
import { CloseCode } from "./src/protocol";
import { loadCatalogs, translateMessages } from "./messages";
import { inlineFiles } from "./vite.inlined";
import { PAGE_LANGUAGES, environmentLanguage, environmentName, inLanguage, pageName, translateHtml } from "./vite.languages";

const DEFERRED_URL = "%deferred%";
/** A module of the phone page, in any subfolder. */
const PHONE_MODULE = /\/src\/(live|phone)\/(\w+\/)*[\w.]+\.ts$/;
const catalogs = loadCatalogs();

/** The URL of each locale's deferred bundle, known once it is built. */
const deferredUrls = new Map<string, string>();

/** Inserts the URL of the deferred bundle in the same language. */
function linked(): Plugin {
  return {
    name: "linked",
    enforce: "pre",
    transform(code) {
      return code.includes(DEFERRED_URL) ? { code: code.replace(DEFERRED_URL, deferredUrls.get(environmentLanguage(this.environment.name)) ?? ""), map: null } : null;
    },
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk" && file.name === "deferred") deferredUrls.set(environmentLanguage(this.environment.name), `/${file.fileName}`);
      }
    },
  };
}

const PRIVATE = /\bprivate (\w+)/g;
/** Names of members that only modules in live/ and phone/ use, in the page and its deferred bundle. */
const INTERNAL =
  "blockedBy heldChoice fromServer onStateChange roundTripMs keepsSeat hasJumped freshUntil raiseSequence probeIfSilent addSample formatDuration formatLongTime groundNotices teamHeading blockedScreen resumeBallot localePicker closedScreen addListeners votesLabel seatChoice codeScreen voterCode shapeText runAction oneDevice onMessage movesText handleKey nextLine takeNewSeat sideChanges seated returned talking withinMs waitMs moments overlay navigate holding VoteLedger refocus attempt estimate isJoined redraw follow probe subscribe resume welcome receive".split(
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
      const language = environmentLanguage(this.environment.name);
      page.source = inlineFiles(translateHtml(String(page.source), catalogs.get(language) ?? null), bundle);
      page.fileName = pageName("phone.html", language);
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

function deferred(language: string) {
  const output = { entryFileNames: `static/app/deferred.${language}-[hash].js` };
  return { ...inLanguage(language), build: { ...common, rolldownOptions: { input: { deferred: "src/phone/deferredEntry.ts" }, output, preserveEntrySignatures: "strict" as const } } };
}

function page(language: string) {
  return { ...inLanguage(language), build: { ...common, cssCodeSplit: false, assetsInlineLimit: 100_000, rolldownOptions: { input: "phone.html" } } };
}

export default defineConfig({
  plugins: [translateMessages(environmentLanguage, catalogs), linked(), shortened(), numbered(), inlined()],
  publicDir: false,
  environments: Object.fromEntries(
    PAGE_LANGUAGES.flatMap((language) => [
      [environmentName("deferred", language), deferred(language)],
      [environmentName("page", language), page(language)],
    ]),
  ),
  builder: {
    sharedConfigBuild: true,
    async buildApp(builder) {
      for (const language of PAGE_LANGUAGES) {
        await builder.build(builder.environments[environmentName("deferred", language)]!);
        await builder.build(builder.environments[environmentName("page", language)]!);
      }
    },
  },
});
