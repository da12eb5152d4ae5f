import { ARRIVAL, MAX_ARRIVALS, MAX_COLUMNS } from "./limits";

/**
 * Places one particle per vote. While it hovers, its place depends only on its index. `poured` moves it along an arc
 * to its slot: the column follows from its rank, the row and the place in the row from its rank in the column.
 */
export const VERTEX_SHADER = `#version 300 es
precision highp float;
precision highp int;
uniform vec2 stage;
uniform float top, pixels, time, poured, emphasis;
uniform int born, total, seed, picked, columns, wide;
uniform vec4 sea;
uniform vec2 sizes;
uniform vec3 arrivals[${MAX_ARRIVALS}];
uniform int ranks[${MAX_COLUMNS + 1}];
uniform vec2 piles[${MAX_COLUMNS}];
uniform vec2 bar;
out float strength, light, radius, lying;

const float FLIGHT = 0.4;

uint hash(uint n) {
  n = n * 747796405u + 2891336453u;
  n = ((n >> ((n >> 28) + 4u)) ^ n) * 277803737u;
  return (n >> 22) ^ n;
}

float unit(uint n) {
  return float(n >> 8) / 16777216.0;
}

/** Evenly spread over the sea, without clusters: the R2 sequence. */
vec2 hoverPlace(uint n, float phase) {
  float across = unit(n * 3242174889u + uint(seed)), down = unit(n * 2447445414u);
  vec2 place = vec2(mix(sea.x, sea.y, across), mix(sea.z, sea.w, down));
  return place + vec2(sin(time * 0.9 + phase), cos(time * 1.3 + phase * 1.7)) * vec2(7.0, 5.0);
}

float arrived(int n) {
  for (int i = 0; i < ${MAX_ARRIVALS}; i++) {
    vec3 some = arrivals[i];
    if (float(n) < some.x || float(n) >= some.y) continue;
    float waits = (float(n) - some.x) / (some.y - some.x) * ${ARRIVAL.spread.toFixed(1)};
    return clamp((some.z - waits) / ${ARRIVAL.rise.toFixed(1)}, 0.0, 1.0);
  }
  return n < born ? 1.0 : 0.0;
}

int columnAt(int rank) {
  int low = 0, high = columns;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (ranks[middle] <= rank) low = middle;
    else high = middle;
  }
  return low;
}

void main() {
  int n = gl_VertexID;
  uint random = hash(uint(n) * 2u + uint(seed));
  uint random2 = hash(random);
  float phase = unit(random) * 6.2832;
  vec2 place = hoverPlace(uint(n), phase);
  lying = 0.0;
  float rise = arrived(n);
  float eased = 1.0 - pow(1.0 - rise, 3.0);
  place.y = mix(sea.w + 30.0, place.y, eased);
  strength = min(1.0, rise * 4.0);
  float depth = (place.y - sea.z) / (sea.w - sea.z);
  light = 0.55 + 0.45 * unit(random2) + 0.16 * sin(time * 1.7 + phase * 3.0) - 0.25 * depth;
  float size = sizes.x * (0.75 + 0.5 * unit(random2));
  if (poured > 0.0 && n >= total) strength *= 1.0 - min(1.0, poured * 3.0);
  else if (poured > 0.0) {
    int column = columnAt(n);
    int rank = n - ranks[column], count = ranks[column + 1] - ranks[column];
    int row = rank / wide, rows = (count + wide - 1) / wide;
    float inRow = float(min(wide, count - row * wide));
    float across = (float(rank - row * wide) + 0.5 + 0.5 * (float(wide) - inRow)) / float(wide);
    vec2 pile = piles[column];
    vec2 slot = vec2(pile.x + bar.x * across, bar.y - (float(row) + 0.5) * pile.y / float(rows));
    float share = (float(rank) + 0.5) / float(count);
    float lands = FLIGHT + (1.0 - FLIGHT) * (1.0 - pow(1.0 - share, 0.6));
    float starts = (lands - FLIGHT) * (0.8 + 0.2 * unit(random));
    float t = clamp((poured - starts) / (lands - starts), 0.0, 1.0);
    float way = mix(t, t * t, 0.55);
    vec2 over = vec2(mix(place.x, slot.x, 0.86), mix(-150.0, 60.0, unit(random2)));
    place = mix(mix(place, over, way), mix(over, slot, way), way);
    strength = max(strength, min(1.0, t * 5.0)) * (picked == column ? 1.0 : emphasis);
    size = mix(size, sizes.y, way);
    light = mix(light, 0.85 + 0.15 * unit(random2), t);
    lying = t;
  }
  radius = max(1.0, size * pixels) * 0.5;
  gl_PointSize = radius * 2.0;
  gl_Position = vec4(place.x / stage.x * 2.0 - 1.0, 1.0 - (place.y - top) / stage.y * 2.0, 0.0, strength > 0.0 ? 1.0 : 0.0);
}`;

/** A round drop, lit from the upper left, with premultiplied alpha. */
export const FRAGMENT_SHADER = `#version 300 es
precision mediump float;
uniform vec3 floating, settled;
in float strength, light, radius, lying;
out vec4 pixel;
void main() {
  vec2 at = gl_PointCoord * 2.0 - 1.0;
  float edge = clamp((1.0 - length(at)) * radius + 0.35, 0.0, 1.0) * strength;
  vec2 lamp = at + vec2(0.3, 0.35);
  float shine = max(0.0, 1.0 - 2.2 * dot(lamp, lamp)) * light;
  vec3 lit = mix(mix(floating, settled, lying) * (0.6 + 0.4 * light), vec3(1.0), shine * 0.6);
  pixel = vec4(lit * edge, edge);
}`;
