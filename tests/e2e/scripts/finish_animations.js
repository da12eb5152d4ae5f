// Finish all animations first: text that is still fading in has too little contrast.
() => document.getAnimations()
  .filter(({effect}) => effect.getTiming().iterations !== Infinity)
  .forEach(animation => animation.finish())
