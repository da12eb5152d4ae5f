/** The notice: the organizer's message to all (banner, announcement), shown until it is removed. */
export function OrganizerNotice({ notice }: { notice: string }) {
  return <p class="organizer-notice" role="status"><span>{notice}</span></p>;
}
