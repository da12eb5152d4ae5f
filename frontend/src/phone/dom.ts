/** A minimal renderer: escaped HTML templates, and a patch that changes the document to match them. */

const SAFE = Symbol.for("safe");

export interface Html {
  [SAFE]: string;
}

type HtmlPart = Html | string | number | boolean | null | undefined | readonly HtmlPart[];

/**
 * A template tag for HTML. Inserted parts are escaped; true, false and null become empty, and line breaks with their
 * indentation are removed.
 */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return { [SAFE]: texts.map((text, i) => text.replace(/\n\s*/g, "") + safe(parts[i])).join("") };
}

function safe(part: HtmlPart): string {
  if (part == null || typeof part === "boolean") return "";
  if (Array.isArray(part)) return part.map(safe).join("");
  if (typeof part === "object") return (part as Html)[SAFE];
  return `${part}`.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

export function htmlText(page: Html): string {
  return page[SAFE];
}

/** Patches `root` to match `page`. Matching elements are kept, with their focus and running animations. */
export function renderHtml(root: Element, page: Html): void {
  const sheet = document.createElement("template");
  sheet.innerHTML = page[SAFE];
  patchChildren(root, sheet.content);
}

function patchChildren(old: Node, wanted: Node): void {
  let here = old.firstChild;
  wanted.childNodes.forEach((next) => {
    let found = here;
    while (found && !isSameNode(found, next)) found = found.nextSibling;
    while (found && here !== found) here = removeNode(here!);
    const node = found ?? old.insertBefore(document.importNode(next, false), here);
    if (found) here = found.nextSibling;
    if (found?.isEqualNode(next)) return;
    if (node instanceof Element) patchAttributes(node, next as Element);
    else if (node.nodeValue !== next.nodeValue) node.nodeValue = next.nodeValue;
    patchChildren(node, next);
  });
  while (here) here = removeNode(here);
}

/** Returns the next sibling. */
function removeNode(node: ChildNode): ChildNode | null {
  const next = node.nextSibling;
  node.remove();
  return next;
}

const identity = (node: Node) => node instanceof Element && [node.getAttribute("class")?.split(" ")[0], node.getAttribute("key")].join();

/** Nodes match by name, first class and `key`. A different key means a new element, whose animation starts again. */
function isSameNode(one: Node, other: Node): boolean {
  return one.nodeName === other.nodeName && identity(one) === identity(other);
}

/**
 * `css` sets the style by script, which the Content Security Policy allows. `open` is kept, so that unfolded parts stay
 * so.
 */
function patchAttributes(node: Element, wanted: Element): void {
  for (const { name, value } of wanted.attributes) {
    if (name === "css") (node as HTMLElement).style.cssText = value;
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  for (const { name } of [...node.attributes]) if (!wanted.hasAttribute(name) && !/^style$|^open$/.test(name)) node.removeAttribute(name);
}
