() => {
  window.lost = document.querySelector(".particles").getContext("webgl2").getExtension("WEBGL_lose_context");
  window.lost.loseContext();
}
