// The board's columns, from left to right.
() => [...document.querySelectorAll(".board .column")]
  .sort((one, two) => one.getBoundingClientRect().left - two.getBoundingClientRect().left)
  .map(({dataset}) => dataset.column)
