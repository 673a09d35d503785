import type { Measurement } from './results.ts';

/**
 * Verdict of a run as the published program gives it. Elle accepts a history in which it finds no anomaly, even if the
 * reads leave the order of versions open; isolab's Elle reports such a history as incomplete, because the level could
 * still be violated.
 */
export const answerOf = ({ checker, verdict, reason }: Measurement): Measurement['verdict'] =>
  checker === 'elle' && verdict === 'unknown' && reason?.startsWith('incomplete') === true ? 'satisfied' : verdict;
