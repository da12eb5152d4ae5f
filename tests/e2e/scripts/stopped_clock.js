// A page's clock that only moves when `window.at`, in milliseconds, is changed.
(began) => {
  window.at = 0;
  Date.now = () => began + window.at;
  performance.now = () => window.at;
}
