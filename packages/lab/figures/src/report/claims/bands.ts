/** Bands within which a measurement confirms a claim of a paper, and their explanation for readers. */

/** Share of the paper's factor that a measured factor has to reach. */
export const FACTOR_BAND = 0.5;
/** Ratio below which two series do not differ: two runs of one program on a shared machine differ by as much. */
export const NOISE = 1.25;
/** Greatest distance of an exponent from the paper's. */
export const EXPONENT_BAND = 0.3;
/** Exponent from which a series grows or falls at all. */
export const FLAT = 0.05;
/** Time below which noise is larger, in milliseconds. */
export const SHORT_MS = 100;
/** Ratio of two runs of one program on different days that one of ten pairs exceeds, for short and for long times. */
export const NOISE_OF_SHORT = 2;
export const NOISE_OF_LONG = 1.6;
/** Such a ratio of the times in which clients collect a history. */
export const NOISE_OF_COLLECTING = 3;
/** Difference in memory that one of ten pairs exceeds. */
export const NOISE_OF_BYTES = 10e6;
/** Such a difference in the share of aborted transactions, in percentage points. */
export const NOISE_OF_ABORTS = 3;

export const BANDS_TEXT = [
  `A claim of a paper *holds* if the measured factor is at least ${100 * FACTOR_BAND} % of the paper’s at every point, or if the measured exponent of growth is within ${EXPONENT_BAND} of the paper’s.`,
  'It holds in *direction only* if the order is the paper’s at half of the points or more, reversed at none, and the factor is smaller, if the series grows less steeply than the paper’s, or if both series fall.',
  'Otherwise it *fails*, also if the series grows more steeply than the paper’s.',
  `A ratio below ${NOISE}, two medians whose intervals overlap, or an exponent within ${FLAT} of 0 is no difference.`,
  `A claim is *within noise* if a run on another day may decide it otherwise: between days, times below ${SHORT_MS / 1000} s differ by a factor of up to ${NOISE_OF_SHORT}, longer times by ${NOISE_OF_LONG}, times of collecting by ${NOISE_OF_COLLECTING}, memory by ${NOISE_OF_BYTES / 1e6} MB, and shares of aborted transactions by ${NOISE_OF_ABORTS} percentage points.`,
  'The largest scale with measurements at half of its points or more decides a claim; other scales decide only the remaining claims.',
].join(' ');
