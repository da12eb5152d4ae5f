// Names of languages are each in its own language, marked by `lang`.
(labels) => {
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest("script, style, noscript, body [lang]")) texts.push(node.data.trim());
  for (const part of document.body.querySelectorAll("*"))
    texts.push(...labels.map((name) => part.getAttribute(name) ?? ""));
  return [...new Set(texts)];
}
