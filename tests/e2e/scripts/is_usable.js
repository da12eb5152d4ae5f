() => document.documentElement.scrollWidth <= innerWidth
  && [...document.querySelectorAll("button[data-column]")].map((one) => one.getBoundingClientRect())
    .every(({bottom, width, height}) => bottom <= innerHeight && Math.min(width, height) >= 44)
