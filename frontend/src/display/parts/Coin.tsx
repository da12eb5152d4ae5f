const POINTS = 8;

/** One of the compass points: two triangles, one lit and one shaded. */
function point(index: number): { lit: string; shade: string } {
  const length = index % 2 ? 19 : 35;
  const turn = (index * 2 * Math.PI) / POINTS;
  const at = (radius: number, angle: number) =>
    `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
  const tip = at(length, turn);
  return {
    lit: `M0 0 L${at(8, turn - Math.PI / POINTS)} L${tip} Z`,
    shade: `M0 0 L${at(8, turn + Math.PI / POINTS)} L${tip} Z`,
  };
}

const ROSE = [1, 3, 5, 7, 0, 2, 4, 6].map(point);

/** The initiative token: a brass compass coin. */
export function Coin() {
  return (
    <svg class="coin-face" viewBox="-50 -50 100 100" aria-hidden="true">
      <defs>
        <radialGradient id="coin-brass" cx="0.36" cy="0.3" r="0.8">
          <stop offset="0" stop-color="#fbe8b8" />
          <stop offset="0.5" stop-color="#d9b36c" />
          <stop offset="1" stop-color="#8a6428" />
        </radialGradient>
      </defs>
      <circle r="49" fill="#6d4d1c" />
      <circle r="47.5" fill="url(#coin-brass)" />
      <circle r="41" fill="none" stroke="#6d4d1c" stroke-width="1.6" stroke-opacity="0.75" />
      <circle r="44" fill="none" stroke="#6d4d1c" stroke-width="3.4" stroke-dasharray="1.2 4.56" stroke-opacity="0.7" />
      <circle r="24" fill="none" stroke="#6d4d1c" stroke-width="1.2" stroke-opacity="0.6" />
      {ROSE.map(({ lit, shade }) => (
        <>
          <path d={lit} fill="#4a3210" />
          <path d={shade} fill="#2b1c06" />
        </>
      ))}
      <circle r="3.6" fill="#fbe8b8" />
    </svg>
  );
}
