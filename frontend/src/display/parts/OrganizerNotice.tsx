/** The organizer's word to all; it stays until it is taken back. */
export function OrganizerNotice({ notice }: { notice: string }) {
  return <p class="organizer-notice" role="status"><span>{notice}</span></p>;
}
