essential => [...document.querySelectorAll(essential)]
  .filter(part => part.checkVisibility())
  .filter(part => parseFloat(getComputedStyle(part).fontSize) < 0.0499 * innerHeight
    || part.clientWidth > 0 && (part.scrollWidth > part.clientWidth + 1
      || part.scrollHeight > part.clientHeight + 3))
  .map(part => part.textContent)
