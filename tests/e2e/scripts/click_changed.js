(button) => {
  new MutationObserver(() => button.click()).observe(button, { attributeFilter: ["data-action"] });
}
