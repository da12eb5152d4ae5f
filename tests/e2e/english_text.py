"""English texts of the catalogs that a translated page still shows."""

import re
from functools import cache

from babel.messages.pofile import read_po
from playwright.sync_api import Page

from crowdgame.server.laptop.paths import ROOT

PLACEHOLDER = re.compile(r"%\(\w+\)s|\{\w+\}")
LABELS = ("aria-label", "alt", "title", "placeholder")
# Names of languages are each in its own language, marked by `lang`.
READ_ALL_JS = """(labels) => {
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest("script, style, noscript, body [lang]")) texts.push(node.data.trim());
  for (const part of document.body.querySelectorAll("*"))
    texts.push(...labels.map((name) => part.getAttribute(name) ?? ""));
  return [...new Set(texts)];
}"""


def english_on(page: Page, language: str, *domains: str) -> list[str]:
    """Texts and labels of the page that contain an English message, hidden ones too."""
    messages = frozenset[str]().union(*(english_messages(language, domain) for domain in domains))
    return [
        text for text in page.evaluate(READ_ALL_JS, LABELS) if text in messages or _has_any(text, messages)
    ]


def _has_any(text: str, messages: frozenset[str]) -> bool:
    words = f" {text} "
    return any(" " in message and f" {message} " in words for message in messages)


@cache
def english_messages(language: str, domain: str) -> frozenset[str]:
    """The English messages, in pieces without placeholders, that are no text of the language as well."""
    folder = language.replace("zh-hans", "zh_Hans")
    with (ROOT / "locale" / folder / "LC_MESSAGES" / f"{domain}.po").open(encoding="utf-8") as file:
        messages = [message for message in read_po(file) if message.id]
    english = {piece for message in messages for piece in _pieces(message.id)}
    return frozenset(english - {piece for message in messages for piece in _pieces(message.string or "")})


def _pieces(texts: str | tuple[str, ...] | list[str]) -> set[str]:
    forms = (texts,) if isinstance(texts, str) else texts
    pieces = {piece.strip() for form in forms for piece in PLACEHOLDER.split(form)}
    return {piece for piece in pieces if len(piece) > 1}
