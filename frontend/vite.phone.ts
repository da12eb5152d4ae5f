import { defineConfig, type Plugin } from "vite";

/** Puts script and style into the page itself, so that a phone asks for one thing only. */
function inlined(): Plugin {
  return {
    name: "inlined",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["phone.html"];
      if (page?.type !== "asset") throw new Error("phone.html is missing from the bundle");
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        const text = file.type === "chunk" ? file.code : String(file.source);
        const tag = new RegExp(`<(script|link)[^>]*${name.replace(/[.]/g, "[.]")}"[^>]*>(</script>)?`);
        if (!tag.test(html)) throw new Error(`phone.html must hold everything, but ${name} was split off`);
        const block =
          file.type === "chunk"
            ? `<script type="module">${text.trim().replace(/<\/script/g, "<\\/script")}</script>`
            : `<style>${text.trim()}</style>`;
        html = html.replace(tag, () => block);
        delete bundle[name];
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  plugins: [inlined()],
  publicDir: false,
  build: {
    target: "es2020",
    emptyOutDir: true,
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 100_000,
    rolldownOptions: { input: "phone.html" },
  },
});
