// The page's clock stands still between frames. Animations of the style sheet are moved by hand.
(ms) => {
  window.moments ??= new WeakMap();
  for (const animation of document.getAnimations()) {
    const known = moments.get(animation);
    const at = known === undefined ? 0 : known + ms;
    moments.set(animation, at);
    if (at < animation.effect.getComputedTiming().endTime) {
      animation.pause();
      animation.currentTime = at;
    } else animation.finish();
  }
}
