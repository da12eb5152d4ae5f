/** The organizer's word to all; it stays until it is taken back. */
export function Plank({ notice }: { notice: string }) {
  return <p class="plank" role="status"><span>{notice}</span></p>;
}
