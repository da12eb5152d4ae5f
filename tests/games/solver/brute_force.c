/* Values straight from the rules, for comparison with the solver: every joint action of every turn to the end.

Reads positions, one per line: columns, classic (0 or 1), reverse tie (0 or 1), who holds the token or is to move
(r or y), and the board as one string of R, Y and . per column, the lowest cell first. Prints red's value of each.
It shares no code with the solver: a board is an array of letters, a line is looked for in every direction from
every cell, and a matrix game is solved by a simplex method in the form of Dantzig's dictionary. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 6
#define MOST 7
#define TINY 1e-12

typedef struct {
    char cells[MOST][ROWS];
    char first;
} Board;

typedef struct {
    Board board;
    double value;
    int used;
} Entry;

static int columns, is_classic, reverse_tie;
static Entry *table;
static size_t capacity, count;

static int height(const Board *board, int column) {
    int row = 0;
    while (row < ROWS && board->cells[column][row] != '.') row++;
    return row;
}

static void drop(Board *board, int column, char side) {
    int row = height(board, column);
    if (row < ROWS) board->cells[column][row] = side;
}

static int has_line(const Board *board, char side) {
    static const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    for (int column = 0; column < columns; column++)
        for (int row = 0; row < ROWS; row++)
            for (int direction = 0; direction < 4; direction++) {
                int length = 0, c = column, r = row;
                while (c < columns && r >= 0 && r < ROWS && board->cells[c][r] == side) {
                    length++;
                    c += steps[direction][0];
                    r += steps[direction][1];
                }
                if (length >= 4) return 1;
            }
    return 0;
}

static size_t slot_of(const Board *board) {
    uint64_t hash = 14695981039346656037u;
    const unsigned char *bytes = (const unsigned char *)board;
    for (size_t i = 0; i < sizeof *board; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    size_t slot = hash & (capacity - 1);
    while (table[slot].used && memcmp(&table[slot].board, board, sizeof *board)) slot = (slot + 1) & (capacity - 1);
    return slot;
}

static void grow(void) {
    Entry *old = table;
    size_t size = capacity;
    capacity = size ? 2 * size : 1 << 16;
    table = calloc(capacity, sizeof *table);
    if (!table) exit(2);
    for (size_t i = 0; i < size; i++)
        if (old[i].used) table[slot_of(&old[i].board)] = old[i];
    free(old);
}

static void pivot(double rows[MOST + 1][MOST + 1], int height_, int width, int leaving, int entering) {
    double by = rows[leaving][entering], new[MOST + 1];
    for (int j = 0; j <= width; j++) new[j] = -rows[leaving][j] / by;
    new[entering] = 1 / by;
    for (int i = 0; i <= height_; i++) {
        if (i == leaving) continue;
        double factor = rows[i][entering];
        rows[i][entering] = 0;
        for (int j = 0; j <= width; j++) rows[i][j] += factor * new[j];
    }
    memcpy(rows[leaving], new, sizeof new);
}

static double matrix_value(double matrix[MOST][MOST], int height_, int width) {
    double least = 9, rows[MOST + 1][MOST + 1];
    for (int i = 0; i < height_; i++)
        for (int j = 0; j < width; j++)
            if (matrix[i][j] < least) least = matrix[i][j];
    double shift = 1 - least;
    for (int i = 0; i < height_; i++) {
        for (int j = 0; j < width; j++) rows[i][j] = -(matrix[i][j] + shift);
        rows[i][width] = 1;
    }
    for (int j = 0; j < width; j++) rows[height_][j] = 1;
    rows[height_][width] = 0;
    for (;;) {
        int entering = 0, leaving = -1;
        for (int j = 1; j < width; j++)
            if (rows[height_][j] > rows[height_][entering]) entering = j;
        if (rows[height_][entering] <= TINY) return 1 / rows[height_][width] - shift;
        for (int i = 0; i < height_; i++)
            if (rows[i][entering] < -TINY &&
                (leaving < 0 || rows[i][width] / -rows[i][entering] < rows[leaving][width] / -rows[leaving][entering]))
                leaving = i;
        pivot(rows, height_, width, leaving, entering);
    }
}

static double value_of(const Board *board);

static double value_after(Board board, int red, int yellow) {
    char holder = board.first, other = holder == 'R' ? 'Y' : 'R';
    if (is_classic) {
        drop(&board, holder == 'R' ? red : yellow, holder);
        board.first = other;
    } else {
        drop(&board, holder == 'R' ? red : yellow, holder);
        drop(&board, holder == 'R' ? yellow : red, other);
        if (red == yellow) board.first = other;
    }
    int red_line = has_line(&board, 'R'), yellow_line = has_line(&board, 'Y');
    if (red_line && yellow_line) return ((holder == 'R') != reverse_tie) ? 1 : -1;
    if (red_line || yellow_line) return red_line ? 1 : -1;
    return value_of(&board);
}

static double value_of(const Board *board) {
    if (2 * count >= capacity) grow();
    size_t slot = slot_of(board);
    if (table[slot].used) return table[slot].value;
    int open[MOST], width = 0;
    for (int column = 0; column < columns; column++)
        if (height(board, column) < ROWS) open[width++] = column;
    double matrix[MOST][MOST], value = 0;
    int reds = is_classic && board->first == 'Y' ? 1 : width, yellows = is_classic && board->first == 'R' ? 1 : width;
    if (width) {
        for (int i = 0; i < reds; i++)
            for (int j = 0; j < yellows; j++) matrix[i][j] = value_after(*board, open[i], open[j]);
        value = matrix_value(matrix, reds, yellows);
    }
    if (2 * count >= capacity) grow();
    slot = slot_of(board);
    table[slot] = (Entry){*board, value, 1};
    count++;
    return value;
}

int main(void) {
    char first, text[MOST * ROWS + 1];
    while (scanf("%d %d %d %c %42s", &columns, &is_classic, &reverse_tie, &first, text) == 5) {
        Board board;
        memset(&board, 0, sizeof board);
        board.first = first;
        for (int i = 0; i < columns * ROWS; i++) board.cells[i / ROWS][i % ROWS] = text[i];
        free(table);
        table = NULL;
        capacity = count = 0;
        printf("%.17g\n", value_of(&board));
        fflush(stdout);
    }
    return 0;
}
