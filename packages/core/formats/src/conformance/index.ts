/** The conformance suite of formats, and the random histories that the suite writes. */
export { type GeneratedShape, arbitraryHistory } from './arbitrary-history.ts';
export { type FormatHistories, formatDemands } from './format.ts';
