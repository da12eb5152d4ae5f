/** The same for everybody, seated or not. */
export function Privacy({ said = "" }) {
  return (
    <p class="privacy">
      {said}<a href="/privacy" target="_blank" rel="noopener">What is kept of you</a>
    </p>
  );
}
