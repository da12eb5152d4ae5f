import type { EventState } from "../../protocol";

/** The organizer's logo and sponsor line. */
export function Brand({ state, place }: { state: EventState; place: "lobby" | "corner" }) {
  const { logo, brand_line } = state;
  if (!logo && !brand_line) return null;
  return (
    <div class="brand" data-place={place}>
      {logo && <img src={`/brand/${logo}.webp`} alt="" />}
      {brand_line && <p>{brand_line}</p>}
    </div>
  );
}
