import type { Rolldown } from "vite";

type Bundle = Rolldown.OutputBundle;

/**
 * Moves the scripts and style sheets that a built page loads into the page, so that they arrive with it, and removes
 * them from the bundle. Throws if a script was split off, since an inline script cannot import it.
 */
export function inlineFiles(html: string, bundle: Bundle): string {
  let inlined = html.replace(/\n\s*/g, "");
  for (const [name, file] of Object.entries(bundle)) {
    if (file.type === "asset" && !name.endsWith(".css")) continue;
    const tag = new RegExp(`<(script|link)[^>]*${name.replace(/[.]/g, "[.]")}"[^>]*>(</script>)?`);
    if (!tag.test(inlined)) throw new Error(`the page must hold everything, but ${name} was split off`);
    inlined = inlined.replace(tag, () => (file.type === "chunk" ? inlineScript(file.code) : inlineStyle(String(file.source))));
    delete bundle[name];
  }
  return inlined;
}

function inlineScript(code: string): string {
  return `<script type="module">${code.trim().replace(/<\/script/g, "<\\/script").replace(/\n\s*/g, "")}</script>`;
}

function inlineStyle(css: string): string {
  return `<style>${css.replace(/\/\*.*?\*\//g, "").trim()}</style>`;
}
