() => [".cell .card", ".strip", ".way p", ".qr", ".sheet.champion", ".sheet tr"]
  .flatMap(shown => [...document.querySelectorAll(shown)])
  .filter(part => part.checkVisibility())
  .map(part => part.getBoundingClientRect())
  .filter(({left, top, right, bottom}) => left < 0 || top < 0 || right > innerWidth || bottom > innerHeight)
  .length
