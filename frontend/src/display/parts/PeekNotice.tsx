/** The notice shown as long as the organizers can see the counts by column before the reveal. */
export function PeekNotice() {
  return (
    <p class="peek" aria-label="Organizers can see the votes">
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M1 12q11-16 22 0q-11 16-22 0z" /><circle cx="12" cy="12" r="3.4" /></svg>
      <span>Host sees votes</span>
    </p>
  );
}
