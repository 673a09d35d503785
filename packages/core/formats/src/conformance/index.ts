/** The conformance suite of formats, and the random histories that it writes. */
export { type GeneratedShape, arbitraryHistory } from './arbitrary-history.ts';
export { type FormatHistories, formatDemands } from './format.ts';
