// Pause endless animations, or an idle page is repainted sixty times a second.
addEventListener("animationstart", ({target}) => target
  .getAnimations({subtree: true})
  .filter(({effect}) => effect.getTiming().iterations === Infinity)
  .forEach((animation) => animation.pause()), true)
