/** Pages as text, and the page on the screen changed to be as the text says: all of a renderer that a phone needs. */

const SAFE = Symbol.for("crowdgame.safe");

export interface Html {
  [SAFE]: string;
}

type HtmlPart = Html | string | number | boolean | null | undefined | readonly HtmlPart[];

/** Text that may be parsed: what is put in is not. A line's break and indent mean nothing, true and false neither. */
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

/** What is there already stays, with its focus and whatever moves on it. */
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

/** The node after it. */
function removeNode(node: ChildNode): ChildNode | null {
  const next = node.nextSibling;
  node.remove();
  return next;
}

const identity = (node: Node) => node instanceof Element && [node.getAttribute("class")?.split(" ")[0], node.getAttribute("key")].join();

/** By its first class, and its key where it has one: another key is another thing, which moves anew. */
function isSameNode(one: Node, other: Node): boolean {
  return one.nodeName === other.nodeName && identity(one) === identity(other);
}

/** `css` is a style that a policy against styles in a text lets pass; what was unfolded stays so. */
function patchAttributes(node: Element, wanted: Element): void {
  for (const { name, value } of wanted.attributes) {
    if (name === "css") (node as HTMLElement).style.cssText = value;
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  for (const { name } of [...node.attributes]) if (!wanted.hasAttribute(name) && !/^style$|^open$/.test(name)) node.removeAttribute(name);
}
