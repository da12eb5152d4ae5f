// Search, evaluation and training for games of columns, compiled to solver.wasm. See games/solver/solver.py.
//
// A simultaneous turn is a matrix game over the open columns. Its cells are searched only as far as they matter,
// with a double oracle: solve the game restricted to some columns of each side, look for a better reply among the
// others, and add it. Bounds of cells and positions cut off the rest (Bosansky, Lisy, Lanctot, Cermak and Winands:
// Algorithms for computing strategies in two-player simultaneous move games, 2016).
//
// A board takes one bit per cell: column c from bit 7c, the lowest cell first. The seventh bit of each column
// stays empty, so that no line continues in the next column. All values are red's: 1 is a win, -1 a loss.
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define MOST_COLUMNS 7
#define ROWS 6
#define HEIGHT 7
#define TO_THE_END 63
#define EXACT 62  // the depth of the exact search
#define EPSILON 1e-12
#define WORTHWHILE 1e-11  // a better reply must gain more than this

typedef uint64_t Board;
typedef struct { Board red, yellow, mirrored_red, mirrored_yellow; int holder; } Position;  // holder: 0 red, 1 yellow

static int columns, is_tie_reversed;
static Board board, bottoms;  // every cell, and those of the lowest row
static uint64_t node_count, node_limit;
static int is_aborted;
static int has_exact_entries;
static double least_pivot;  // of the simplex method

// --- boards

static inline Board bottom(int column) { return 1ull << (column * HEIGHT); }
static inline Board cells_of(int column) { return ((1ull << ROWS) - 1) << (column * HEIGHT); }
static inline Board all_cells(const Position *p) { return p->red | p->yellow; }
static inline int is_open(Board all, int column) { return (all & cells_of(column)) != cells_of(column); }
static inline int free_cells(const Position *p) { return columns * ROWS - __builtin_popcountll(all_cells(p)); }

static inline Board mirror_move(Board cell, int column) {
  int shift = (columns - 1 - 2 * column) * HEIGHT;
  return shift < 0 ? cell >> -shift : cell << shift;
}

static Board mirror(Board board) {
  Board mirrored = 0;
  for (int c = 0; c < columns; c++) mirrored |= mirror_move(board & cells_of(c), c);
  return mirrored;
}

// The cells in which one more piece of `board` completes a line, whether they are free or not.
static Board winning_cells(Board board) {
  Board cells = (board << 1) & (board << 2) & (board << 3);
  for (int step = HEIGHT - 1; step <= HEIGHT + 1; step++) {
    Board two = (board << step) & (board << 2 * step);
    cells |= two & ((board << 3 * step) | (board >> step));
    two = (board >> step) & (board >> 2 * step);
    cells |= two & ((board >> 3 * step) | (board << step));
  }
  return cells;
}

static Position position_of(Board red, Board yellow, int holder) {
  return (Position){red, yellow, mirror(red), mirror(yellow), holder};
}

// --- turns

typedef struct { Board red, yellow; int free; } Threats;

static Threats find_threats(const Position *p) {
  return (Threats){winning_cells(p->red), winning_cells(p->yellow), free_cells(p)};
}

// Play the columns `i` of red and `j` of yellow. Returns 1 and the result if the match ends.
static int play(const Position *p, const Threats *threats, int i, int j, Position *after, double *result) {
  Board all = all_cells(p);
  Board red = (all + bottom(i)) & cells_of(i), yellow = (all + bottom(j)) & cells_of(j);
  if (i == j) {
    Board above = (red << 1) & cells_of(i);
    if (p->holder) red = above; else yellow = above;
  }
  int red_won = (red & threats->red) != 0, yellow_won = (yellow & threats->yellow) != 0;
  if (red_won && yellow_won) *result = p->holder == is_tie_reversed ? 1 : -1;
  else if (red_won || yellow_won) *result = red_won ? 1 : -1;
  else if (threats->free == (red != 0) + (yellow != 0)) *result = 0;
  else {
    after->red = p->red | red;
    after->yellow = p->yellow | yellow;
    after->mirrored_red = p->mirrored_red | mirror_move(red, i);
    after->mirrored_yellow = p->mirrored_yellow | mirror_move(yellow, j);
    after->holder = i == j ? !p->holder : p->holder;
    return 0;
  }
  return 1;
}

// --- evaluation
//
// A sum of weights from the view of the token's holder: one for every line of four cells, and one for every pair of
// neighboring columns. In a line, a cell is the other side's (0), the holder's (1), or empty with so many empty
// cells below it (2 to 7). A column is a number: its height and the holder's pieces. Mirror images share weights.

#define LINE_STATES 4096
#define COLUMN_STATES 127
#define PAIR_STATES (COLUMN_STATES * COLUMN_STATES)
#define MOST_FEATURES 64

typedef struct { int column, row, rise, weights, is_reversed; } Line;

static float *weights, *sums, *sizes;
static Line lines[MOST_FEATURES];
static int line_count, pair_weights, weight_total;
static uint32_t states_in_column[COLUMN_STATES];

static int find_mirrored_line(int column, int row, int rise) {
  for (int k = 0; k < line_count; k++)
    if (lines[k].column == columns - 4 - column && lines[k].row == row + 3 * rise && lines[k].rise == -rise) return k;
  return -1;
}

static void add_line(int column, int row, int rise) {
  int twin = find_mirrored_line(column, row, rise);
  lines[line_count++] = (Line){column, row, rise, twin < 0 ? weight_total : lines[twin].weights, twin >= 0};
  if (twin < 0) weight_total += LINE_STATES;
}

static void prepare_evaluation(void) {
  line_count = weight_total = 0;
  for (int rise = -1; rise <= 1; rise++)
    for (int c = 0; c + 3 < columns; c++)
      for (int r = 0; r < ROWS; r++)
        if (r + 3 * rise >= 0 && r + 3 * rise < ROWS) add_line(c, r, rise);
  pair_weights = weight_total;
  weight_total += columns / 2 * PAIR_STATES;
  for (int state = 0, height = 0; state < COLUMN_STATES; state++) {
    if (state == (2 << height) - 1) height++;
    int own = state - ((1 << height) - 1);
    states_in_column[state] = 0;
    for (int r = 0; r < ROWS; r++)
      states_in_column[state] |= (uint32_t)(r < height ? own >> r & 1 : 2 + r - height) << 3 * r;
  }
}

static int find_features(const Position *p, uint32_t *features) {
  Board all = all_cells(p), own = p->holder ? p->yellow : p->red;
  uint32_t column[MOST_COLUMNS], cells[MOST_COLUMNS];
  int n = 0;
  for (int c = 0; c < columns; c++) {
    column[c] = (all >> c * HEIGHT & 127) + (own >> c * HEIGHT & 127);
    cells[c] = states_in_column[column[c]];
  }
  for (int k = 0; k < line_count; k++) {
    uint32_t state = 0;
    for (int i = 0; i < 4; i++) {
      int at = lines[k].is_reversed ? 3 - i : i;
      state = state << 3 | (cells[lines[k].column + at] >> 3 * (lines[k].row + at * lines[k].rise) & 7);
    }
    features[n++] = lines[k].weights + state;
  }
  for (int c = 0; c + 1 < columns; c++) {
    int twin = columns - 2 - c;
    uint32_t state = c <= twin ? column[c] * COLUMN_STATES + column[c + 1] : column[c + 1] * COLUMN_STATES + column[c];
    features[n++] = pair_weights + (c <= twin ? c : twin) * PAIR_STATES + state;
  }
  return n;
}

static double sum_weights(const uint32_t *features, int n) {
  float sum = 0;
  for (int k = 0; k < n; k++) sum += weights[features[k]];
  return sum / __builtin_sqrtf(1 + sum * sum);
}

static double evaluate(const Position *p) {
  uint32_t features[MOST_FEATURES];
  double value = sum_weights(features, find_features(p, features));
  return p->holder ? -value : value;
}

// --- matrix games

// Remove rounding errors: no chance is negative, and their sum is 1.
static void clean_mix(int n, double *mix) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += mix[k] = mix[k] < EPSILON ? 0 : mix[k];
  for (int k = 0; k < n; k++) mix[k] /= sum;
}

// Solve the m x n game for the maximizing row player by the simplex method. Returns the value and both mixes.
static double solve_matrix(int m, int n, double payoff[][MOST_COLUMNS], double *row_mix, double *column_mix) {
  double t[MOST_COLUMNS + 1][2 * MOST_COLUMNS + 1];
  int basis[MOST_COLUMNS], last = n + m;
  double least = payoff[0][0];
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) if (payoff[i][j] < least) least = payoff[i][j];
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) t[i][j] = payoff[i][j] + 1 - least;
    for (int k = 0; k < m; k++) t[i][n + k] = i == k;
    t[i][last] = 1;
    basis[i] = n + i;
  }
  for (int j = 0; j <= last; j++) t[m][j] = j < n ? -1 : 0;
  for (int step = 0; step < 500; step++) {
    int in = -1, out = -1;
    double most = -1e-13, ratio = 0;
    for (int j = 0; j < last; j++) if (t[m][j] < most) {
      in = j;
      if (step >= 100) break;  // the first column instead of the best one: cannot cycle (Bland)
      most = t[m][j];
    }
    if (in < 0) break;
    for (int i = 0; i < m; i++) if (t[i][in] > least_pivot) {
      double r = t[i][last] / t[i][in];
      if (out < 0 || r < ratio - 1e-15 || (r <= ratio + 1e-15 && basis[i] < basis[out])) { ratio = r; out = i; }
    }
    if (out < 0) break;
    double pivot = t[out][in];
    for (int j = 0; j <= last; j++) t[out][j] /= pivot;
    for (int i = 0; i <= m; i++) if (i != out && t[i][in] != 0) {
      double factor = t[i][in];
      for (int j = 0; j <= last; j++) t[i][j] -= factor * t[out][j];
    }
    basis[out] = in;
  }
  double value = 1 / t[m][last];
  for (int j = 0; j < n; j++) column_mix[j] = 0;
  for (int i = 0; i < m; i++) {
    if (basis[i] < n) column_mix[basis[i]] = t[i][last] * value;
    row_mix[i] = t[m][n + i] * value;
  }
  clean_mix(m, row_mix);
  clean_mix(n, column_mix);
  return value - 1 + least;
}

// --- transposition table

typedef struct { Board red, yellow; double low, high; } Entry;  // yellow: also the depth (bit 56), the holder (bit 63)

static Entry *table;
static uint64_t table_mask;

static inline Entry *entry_of(Board red, Board yellow) {
  uint64_t h = red * 0x9E3779B97F4A7C15ull ^ (yellow * 0xC2B2AE3D27D4EB4Full + 0x165667B19E3779F9ull);
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9ull;
  return &table[(h ^ h >> 32) & table_mask];
}

static Entry *find_entry(const Position *p, int depth, Board *red, Board *yellow) {
  Board r = p->red, y = p->yellow;
  if (p->mirrored_red < r || (p->mirrored_red == r && p->mirrored_yellow < y)) {
    r = p->mirrored_red;
    y = p->mirrored_yellow;
  }
  *red = r;
  *yellow = y | (uint64_t)depth << 56 | (uint64_t)p->holder << 63;
  return entry_of(*red, *yellow);
}

static void look_up(const Position *p, int depth, double *low, double *high) {
  Board red, yellow;
  const Entry *entry = find_entry(p, depth, &red, &yellow);
  int is_found = entry->red == red && entry->yellow == yellow;  // an empty entry has depth 0 and is never found
  *low = is_found ? entry->low : -1;
  *high = is_found ? entry->high : 1;
}

static void note_sample(const Position *p, double value);

static void store(const Position *p, int depth, double low, double high) {
  Board red, yellow;
  Entry *entry = find_entry(p, depth, &red, &yellow);
  *entry = (Entry){red, yellow, low, high};
  if (high - low < EPSILON) note_sample(p, low);
}

static void clear_table(void) {
  for (uint64_t i = 0; i <= table_mask; i++) table[i] = (Entry){0, 0, 0, 0};
}

// --- search

typedef struct {
  Position after[MOST_COLUMNS][MOST_COLUMNS];
  double low[MOST_COLUMNS][MOST_COLUMNS], high[MOST_COLUMNS][MOST_COLUMNS];
  int n, depth, column[MOST_COLUMNS];
} Matrix;

// Some columns of one side, with their probabilities.
typedef struct { int n, column[MOST_COLUMNS], has[MOST_COLUMNS]; double mix[MOST_COLUMNS]; } Choice;

static void search(const Position *p, int depth, double alpha, double beta, double *low, double *high);
static void search_exactly(const Position *p, double alpha, double beta, double *low, double *high);
static Entry *find_exact_entry(const Position *p, double *low, double *high, Board *red, Board *yellow);

static const int COLUMN_ORDER[2][MOST_COLUMNS] = {{2, 3, 1, 4, 0, 5}, {3, 2, 4, 1, 5, 0, 6}};

static void build_matrix(const Position *p, int depth, Matrix *m) {
  Threats threats = find_threats(p);
  m->n = 0;
  m->depth = depth == TO_THE_END ? TO_THE_END : depth - 1;
  for (int k = 0; k < columns; k++) {
    int c = COLUMN_ORDER[columns - 6][k];
    if (is_open(all_cells(p), c)) m->column[m->n++] = c;
  }
  for (int i = 0; i < m->n; i++) for (int j = 0; j < m->n; j++) {
    double result;
    if (play(p, &threats, m->column[i], m->column[j], &m->after[i][j], &result)) m->low[i][j] = m->high[i][j] = result;
    else look_up(&m->after[i][j], m->depth, &m->low[i][j], &m->high[i][j]);
  }
}

static inline int is_known(const Matrix *m, int i, int j) { return m->high[i][j] - m->low[i][j] < EPSILON; }

// Search a cell until its value is known, or proven to be at most `alpha` or at least `beta`.
static void refine(Matrix *m, int i, int j, double alpha, double beta) {
  double low = m->low[i][j], high = m->high[i][j];
  if (alpha < low) alpha = low - EPSILON;
  if (beta > high) beta = high + EPSILON;
  if (m->depth == EXACT) search_exactly(&m->after[i][j], alpha, beta, &low, &high);
  else search(&m->after[i][j], m->depth, alpha, beta, &low, &high);
  if (is_aborted) return;
  if (low > m->low[i][j]) m->low[i][j] = low;
  if (high < m->high[i][j]) m->high[i][j] = high;
}

static void sort_by_weight(const Choice *choice, int *order) {
  for (int i = 0; i < choice->n; i++) {
    int k = i;
    for (; k && choice->mix[order[k - 1]] < choice->mix[i]; k--) order[k] = order[k - 1];
    order[k] = i;
  }
}

static void add_column(Choice *choice, int column) {
  choice->column[choice->n++] = column;
  choice->has[column] = 1;
}

// The row, not chosen yet, that does best against yellow's choice, if better than *best; otherwise -1.
// *best becomes an upper bound of what any row gets.
static int find_best_row(Matrix *m, const Choice *red, const Choice *yellow, double *best) {
  int found = -1, order[MOST_COLUMNS];
  sort_by_weight(yellow, order);
  for (int i = 0; i < m->n; i++) {
    if (red->has[i]) continue;
    double most = 0;
    for (int k = 0; k < yellow->n; k++) most += yellow->mix[k] * m->high[i][yellow->column[k]];
    for (int k = 0; k < yellow->n && most > *best + WORTHWHILE; k++) {
      int j = yellow->column[order[k]];
      double weight = yellow->mix[order[k]];
      if (weight < EPSILON || is_known(m, i, j)) continue;
      double rest = most - weight * m->high[i][j];
      refine(m, i, j, (*best - rest) / weight, 1);
      most = rest + weight * m->high[i][j];
    }
    if (most > *best + WORTHWHILE) { *best = most; found = i; }
  }
  return found;
}

// The same for yellow, who minimizes.
static int find_best_column(Matrix *m, const Choice *red, const Choice *yellow, double *best) {
  int found = -1, order[MOST_COLUMNS];
  sort_by_weight(red, order);
  for (int j = 0; j < m->n; j++) {
    if (yellow->has[j]) continue;
    double least = 0;
    for (int k = 0; k < red->n; k++) least += red->mix[k] * m->low[red->column[k]][j];
    for (int k = 0; k < red->n && least < *best - WORTHWHILE; k++) {
      int i = red->column[order[k]];
      double weight = red->mix[order[k]];
      if (weight < EPSILON || is_known(m, i, j)) continue;
      double rest = least - weight * m->low[i][j];
      refine(m, i, j, -1, (*best - rest) / weight);
      least = rest + weight * m->low[i][j];
    }
    if (least < *best - WORTHWHILE) { *best = least; found = j; }
  }
  return found;
}

// Bounds from pure columns: what each side can make sure of. Returns the column of each side that does it, and among
// equals the one with the most promising row.
static void bound_by_pure_columns(const Matrix *m, double *low, double *high, int *row, int *column) {
  double best = -2, best_sum = 0;
  for (int i = 0; i < m->n; i++) {
    double least = 2, sum = 0;
    for (int j = 0; j < m->n; j++) {
      if (m->low[i][j] < least) least = m->low[i][j];
      sum += m->low[i][j] + m->high[i][j];
    }
    if (least > best || (least == best && sum > best_sum)) { best = least; best_sum = sum; *row = i; }
  }
  if (best > *low) *low = best;
  best = 2;
  for (int j = 0; j < m->n; j++) {
    double most = -2, sum = 0;
    for (int i = 0; i < m->n; i++) {
      if (m->high[i][j] > most) most = m->high[i][j];
      sum += m->low[i][j] + m->high[i][j];
    }
    if (most < best || (most == best && sum < best_sum)) { best = most; best_sum = sum; *column = j; }
  }
  if (best < *high) *high = best;
}

// The value of the game restricted to both choices, with their mixes.
static double solve_restricted(Matrix *m, Choice *red, Choice *yellow) {
  double payoff[MOST_COLUMNS][MOST_COLUMNS];
  for (int i = 0; i < red->n; i++) for (int j = 0; j < yellow->n; j++) {
    if (!is_known(m, red->column[i], yellow->column[j])) refine(m, red->column[i], yellow->column[j], -1, 1);
    payoff[i][j] = m->low[red->column[i]][yellow->column[j]];
  }
  if (red->n > 1 || yellow->n > 1) return solve_matrix(red->n, yellow->n, payoff, red->mix, yellow->mix);
  red->mix[0] = yellow->mix[0] = 1;
  return payoff[0][0];
}

// Bound the value of a turn, until it is known or outside of `alpha` and `beta`.
static void solve_turn(Matrix *m, double alpha, double beta, double *low, double *high) {
  Choice red = {0}, yellow = {0};
  int row = 0, column = 0;
  bound_by_pure_columns(m, low, high, &row, &column);
  add_column(&red, row);
  add_column(&yellow, column);
  while (!is_aborted && *high - *low > EPSILON && *low < beta && *high > alpha) {
    double value = solve_restricted(m, &red, &yellow), up = value, down = value;
    row = find_best_row(m, &red, &yellow, &up);
    if (up < *high) *high = up;
    if (*high <= alpha) break;
    column = find_best_column(m, &red, &yellow, &down);
    if (down > *low) *low = down;
    if (row < 0 && column < 0) { *low = *high = value; break; }
    if (row >= 0) add_column(&red, row);
    if (column >= 0) add_column(&yellow, column);
  }
  if (*low > *high) *low = *high = (*low + *high) / 2;
}

// What an exact search that ran out of nodes has proven replaces estimates.
static void apply_exact_bounds(const Position *p, double *low, double *high) {
  Board red, yellow;
  double least = -1, most = 1;
  find_exact_entry(p, &least, &most, &red, &yellow);
  *low = *low < least ? least : *low > most ? most : *low;
  *high = *high < least ? least : *high > most ? most : *high;
}

// Bound the value of a position `depth` turns deep.
static void search(const Position *p, int depth, double alpha, double beta, double *low, double *high) {
  if (++node_count > node_limit) { is_aborted = 1; return; }
  if (depth == 0) *low = *high = evaluate(p);
  else look_up(p, depth, low, high);
  if (has_exact_entries) apply_exact_bounds(p, low, high);
  if (*high - *low < EPSILON || *low >= beta || *high <= alpha) return;
  Matrix m;
  build_matrix(p, depth, &m);
  solve_turn(&m, alpha, beta, low, high);
  if (!is_aborted) store(p, depth, *low, *high);
}

// --- exact search
//
// The same to the end of the match, without estimates. It knows one more turn of each cell, and that a side can't win
// whose lines are all blocked. Pieces in blocked lines don't matter, so the table ignores their colors.

// The cells of the lines that a side can complete, given its own and the free cells.
static Board open_lines(Board cells) {
  Board covered = 0;
  for (int k = 0; k < 4; k++) {
    int step = k ? HEIGHT - 2 + k : 1;
    Board two = cells & cells >> step, four = two & two >> 2 * step;
    two = four | four << step;
    covered |= two | two << 2 * step;
  }
  return covered;
}

// Whether the holder wins in this turn, whatever the other side does. `next` has the cells in which a ball can come
// to lie, `own` and `other` those that complete a line.
static inline int wins_at_once(Board next, Board own, Board other) {
  if (!is_tie_reversed) return (next & own) != 0;
  for (own &= next; own; own &= own - 1) {
    Board cell = own & -own;
    if (!(other & board & ((next & ~cell) | cell << 1))) return 1;
  }
  return 0;
}

static void build_exact_matrix(const Position *p, Matrix *m) {
  Board all = all_cells(p), next = (all + bottoms) & board, cell[MOST_COLUMNS];
  Board red_wins = winning_cells(p->red), yellow_wins = winning_cells(p->yellow);
  Board red_later[MOST_COLUMNS], yellow_later[MOST_COLUMNS];
  int free = free_cells(p);
  m->n = 0;
  m->depth = EXACT;
  for (int k = 0; k < columns; k++) {
    int c = COLUMN_ORDER[columns - 6][k];
    if (!(next & cells_of(c))) continue;
    cell[m->n] = next & cells_of(c);
    red_later[m->n] = winning_cells(p->red | cell[m->n]);
    yellow_later[m->n] = winning_cells(p->yellow | cell[m->n]);
    m->column[m->n++] = c;
  }
  for (int i = 0; i < m->n; i++) for (int j = 0; j < m->n; j++) {
    Board red = cell[i], yellow = cell[j], red_then = red_later[i], yellow_then = yellow_later[j];
    if (i == j && p->holder) red_then = winning_cells(p->red | (red = red << 1 & board));
    else if (i == j) yellow_then = winning_cells(p->yellow | (yellow = yellow << 1 & board));
    Position *after = &m->after[i][j];
    after->red = p->red | red;
    after->yellow = p->yellow | yellow;
    after->holder = p->holder ^ (i == j);
    int red_won = (red & red_wins) != 0, yellow_won = (yellow & yellow_wins) != 0;
    double low = -1, high = 1;
    if (red_won && yellow_won) low = high = p->holder == is_tie_reversed ? 1 : -1;
    else if (red_won || yellow_won) low = high = red_won - yellow_won;
    else if (free == (red != 0) + (yellow != 0)) low = high = 0;
    else {
      Board then = (all_cells(after) + bottoms) & board;
      if (after->holder && wins_at_once(then, yellow_then, red_then)) high = -1;
      if (!after->holder && wins_at_once(then, red_then, yellow_then)) low = 1;
    }
    m->low[i][j] = low;
    m->high[i][j] = high;
  }
}

// The entry of a position, its key, and what is known of its value.
static Entry *find_exact_entry(const Position *p, double *low, double *high, Board *red, Board *yellow) {
  Board red_lines = open_lines(board & ~p->yellow), yellow_lines = open_lines(board & ~p->red);
  if (!red_lines && *high > 0) *high = 0;
  if (!yellow_lines && *low < 0) *low = 0;
  // The sum of a column's balls, its first free cell and red's pieces is different for each height and pieces.
  *red = all_cells(p) + bottoms + (p->red & red_lines);
  *yellow = (p->yellow & yellow_lines) | (uint64_t)EXACT << 56 | (uint64_t)p->holder << 63;
  Entry *entry = entry_of(*red, *yellow);
  if (entry->red == *red && entry->yellow == *yellow) {
    if (entry->low > *low) *low = entry->low;
    if (entry->high < *high) *high = entry->high;
  }
  return entry;
}

static void search_exactly(const Position *p, double alpha, double beta, double *low, double *high) {
  if (++node_count > node_limit) { is_aborted = 1; return; }
  Board red, yellow;
  Entry *entry = find_exact_entry(p, low, high, &red, &yellow);
  if (*high - *low < EPSILON || *low >= beta || *high <= alpha) return;
  Matrix m;
  build_exact_matrix(p, &m);
  solve_turn(&m, alpha, beta, low, high);
  if (!is_aborted) *entry = (Entry){red, yellow, *low, *high};
}

// --- the classic game, in which the sides take turns
//
// `holder` is the side to move. Values are -1, 0 and 1; 0 also stands for what lies beyond the depth.

static Position drop(const Position *p, Board cell, int column) {
  Position after = *p;
  if (p->holder) { after.yellow |= cell; after.mirrored_yellow |= mirror_move(cell, column); }
  else { after.red |= cell; after.mirrored_red |= mirror_move(cell, column); }
  after.holder = !p->holder;
  return after;
}

// The value for the side to move, or a bound of it outside of `alpha` and `beta`.
static double search_classic(const Position *p, int depth, double alpha, double beta) {
  Board all = all_cells(p), next = 0, others;
  double low, high, best = -1;
  if (++node_count > node_limit) { is_aborted = 1; return 0; }
  for (int c = 0; c < columns; c++) next |= (all + bottom(c)) & cells_of(c);
  if (next & winning_cells(p->holder ? p->yellow : p->red)) return 1;
  if (free_cells(p) <= 1 || depth <= 1) return 0;
  others = next & winning_cells(p->holder ? p->red : p->yellow);
  if (others & (others - 1)) return -1;
  if (others) next = others;
  look_up(p, depth, &low, &high);
  if (high - low < EPSILON || low >= beta) return low;
  if (high <= alpha) return high;
  if (low > alpha) alpha = low;
  if (high < beta) beta = high;
  for (int k = 0; k < columns && best < beta; k++) {
    int c = COLUMN_ORDER[columns - 6][k];
    if (!(next & cells_of(c))) continue;
    Position after = drop(p, next & cells_of(c), c);
    double value = -search_classic(&after, depth == TO_THE_END ? depth : depth - 1, -beta, best > alpha ? -best : -alpha);
    if (is_aborted) return 0;
    if (value > best) best = value;
  }
  if (best > alpha && best < beta) low = high = best;
  else if (best >= beta) low = best;
  else high = best;
  store(p, depth, low, high);
  return best;
}

// --- interface

typedef struct {
  double value, red_mix[MOST_COLUMNS], yellow_mix[MOST_COLUMNS], matrix[MOST_COLUMNS][MOST_COLUMNS];
} Answer;

static Answer answer;

EXPORT(answer_address)
Answer *answer_address(void) { return &answer; }
EXPORT(nodes_searched)
uint64_t nodes_searched(void) { return node_count; }
EXPORT(weights_needed)
int weights_needed(void) { return weight_total; }

// `memory` holds the table of 2^bits entries, the weights and, for training, twice as many floats.
EXPORT(set_up)
void set_up(char *memory, uint32_t bits, int column_count, int reverse_tie) {
  columns = column_count;
  is_tie_reversed = reverse_tie;
  bottoms = ((1ull << columns * HEIGHT) - 1) / ((1 << HEIGHT) - 1);
  board = bottoms * ((1 << ROWS) - 1);
  prepare_evaluation();
  table = (Entry *)memory;
  table_mask = (1ull << bits) - 1;
  weights = (float *)(table + table_mask + 1);
  sums = weights + weight_total;
  sizes = sums + weight_total;
  clear_table();
}

// Forget what earlier searches found, so that an answer does not depend on them.
EXPORT(forget)
void forget(void) {
  has_exact_entries = 0;
  clear_table();
}

static int search_root(const Position *p, int depth) {
  Matrix m;
  double payoff[MOST_COLUMNS][MOST_COLUMNS], red_mix[MOST_COLUMNS], yellow_mix[MOST_COLUMNS];
  int is_exact = depth == EXACT;
  if (is_exact) has_exact_entries = 1;
  least_pivot = is_exact || has_exact_entries ? 1e-9 : 1e-13;
  if (2 * depth >= free_cells(p)) depth = TO_THE_END;
  if (is_exact) build_exact_matrix(p, &m);
  else build_matrix(p, depth, &m);
  for (int i = 0; i < m.n; i++) for (int j = 0; j < m.n; j++) {
    if (!is_known(&m, i, j)) refine(&m, i, j, -1, 1);
    if (is_aborted) return 0;
    payoff[i][j] = m.low[i][j];
  }
  answer = (Answer){0};
  answer.value = solve_matrix(m.n, m.n, payoff, red_mix, yellow_mix);
  for (int i = 0; i < m.n; i++) {
    answer.red_mix[m.column[i]] = red_mix[i];
    answer.yellow_mix[m.column[i]] = yellow_mix[i];
    for (int j = 0; j < m.n; j++) answer.matrix[m.column[i]][m.column[j]] = payoff[i][j];
  }
  return depth;
}

// Solve a turn `depth` turns deep, or exactly with 62. Returns the depth, 63 for the end of the match, or 0 after
// `most_nodes` nodes.
EXPORT(solve)
int solve(Board red, Board yellow, int holder, int depth, uint64_t most_nodes) {
  Position p = position_of(red, yellow, holder);
  node_count = 0;
  node_limit = most_nodes;
  is_aborted = 0;
  return search_root(&p, depth);
}

// The same for the classic game. Each best column of the side to move gets the same probability.
EXPORT(solve_classic)
int solve_classic(Board red, Board yellow, int mover, int depth, uint64_t most_nodes) {
  Position p = position_of(red, yellow, mover);
  Board all = all_cells(&p);
  double values[MOST_COLUMNS], best = -2;
  int best_count = 0;
  node_count = 0;
  node_limit = most_nodes;
  is_aborted = 0;
  if (depth >= free_cells(&p)) depth = TO_THE_END;
  for (int c = 0; c < columns; c++) {
    if (!is_open(all, c)) continue;
    Board cell = (all + bottom(c)) & cells_of(c);
    Position after = drop(&p, cell, c);
    if (cell & winning_cells(mover ? yellow : red)) values[c] = 1;
    else values[c] = free_cells(&p) > 1 ? -search_classic(&after, depth == TO_THE_END ? depth : depth - 1, -1, 1) : 0;
    if (is_aborted) return 0;
    if (values[c] > best) { best = values[c]; best_count = 0; }
    if (values[c] == best) best_count++;
  }
  answer = (Answer){.value = mover ? -best : best};
  for (int c = 0; c < columns; c++) {
    if (!is_open(all, c)) continue;
    double chance = values[c] == best ? 1.0 / best_count : 0;
    if (mover) { answer.yellow_mix[c] = chance; answer.matrix[0][c] = -values[c]; }
    else { answer.red_mix[c] = chance; answer.matrix[c][0] = values[c]; }
  }
  return depth;
}

EXPORT(evaluate_position)
double evaluate_position(Board red, Board yellow, int holder) {
  Position p = position_of(red, yellow, holder);
  return evaluate(&p);
}

// --- training
//
// The solver plays against itself. After each turn the weights move toward the value of its search (temporal
// difference learning, with an equilibrium in place of a best move), and toward values that the search found for
// positions below, as these are what it evaluates later. Each weight has its own rate: the less its errors agree
// in sign, the smaller (temporal coherence, Beal and Smith 1999).

#define MOST_SAMPLES 64
#define LAST_TURNS 8  // with so few free cells or less, a match ends without learning

static Position samples[MOST_SAMPLES];
static double sample_values[MOST_SAMPLES];
static uint64_t sample_count, random_state;
static int is_training;

static uint64_t draw(uint64_t below) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (random_state >> 16) % below;
}

static void note_sample(const Position *p, double value) {
  if (!is_training) return;
  uint64_t at = sample_count++;
  if (at >= MOST_SAMPLES) at = draw(sample_count);
  if (at >= MOST_SAMPLES) return;
  samples[at] = *p;
  sample_values[at] = value;
}

static void learn(const Position *p, double target, double rate) {
  uint32_t features[MOST_FEATURES];
  int n = find_features(p, features);
  float error = (p->holder ? -target : target) - sum_weights(features, n);
  for (int k = 0; k < n; k++) {
    uint32_t f = features[k];
    float agreement = sizes[f] > 0 ? __builtin_fabsf(sums[f]) / sizes[f] : 1;
    weights[f] += rate * error / n * agreement;
    sums[f] += error;
    sizes[f] += __builtin_fabsf(error);
  }
}

static int draw_column(const Position *p, const double *mix, int is_random) {
  if (!is_random) {
    double u = draw(1 << 30) * 0x1p-30;
    for (int c = 0; c < columns; c++) if ((u -= mix[c]) < 0) return c;
  }
  int c;
  do c = draw(columns); while (!is_open(all_cells(p), c));
  return c;
}

static void play_training_match(int depth, int exact_cells, double rate) {
  Position p = position_of(0, 0, draw(2)), after;
  double result;
  uint64_t random_turns = draw(6);
  for (int turn = 0; free_cells(&p) > LAST_TURNS; turn++) {
    int is_random = turn < (int)random_turns;
    if (!is_random) {
      sample_count = 0;
      search_root(&p, free_cells(&p) <= exact_cells ? ROWS * MOST_COLUMNS : depth);
      learn(&p, answer.value, rate);
      for (int k = 0; k < MOST_SAMPLES && k < (int)sample_count; k++) learn(&samples[k], sample_values[k], rate);
    }
    int i = draw_column(&p, answer.red_mix, is_random || draw(5) == 0);
    int j = draw_column(&p, answer.yellow_mix, is_random || draw(5) == 0);
    Threats threats = find_threats(&p);
    if (play(&p, &threats, i, j, &after, &result)) return;
    p = after;
  }
}

// Play training matches; the weights, and the two arrays behind them, must be there (zeros at the start).
EXPORT(train)
void train(uint64_t seed, int matches, int depth, int exact_cells, double rate) {
  random_state = seed * 0x9E3779B97F4A7C15ull + 88172645463325252ull;
  node_limit = ~0ull;
  is_aborted = 0;
  is_training = 1;
  for (int k = 0; k < matches; k++) {
    clear_table();
    play_training_match(depth, exact_cells, rate);
  }
  is_training = 0;
}
