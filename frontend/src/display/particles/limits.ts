/** Columns beyond this many have no piles. */
export const MAX_COLUMNS = 32;
/** Votes of the last updates that may still be rising. */
export const MAX_ARRIVALS = 3;
/** In seconds: the votes of one update arrive spread over `spread`; each rises for `rise`. */
export const ARRIVAL = { spread: 0.9, rise: 1 };
