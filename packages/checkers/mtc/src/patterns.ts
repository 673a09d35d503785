import type { FoundAnomaly } from '@isolab/contract';

/** The registry's name of an anomaly → what the paper calls it (Table I). */
const PATTERNS: Readonly<Record<string, string>> = {
  'thin-air-read': 'ThinAirRead',
  G1a: 'AbortedRead',
  'future-read': 'FutureRead',
  'not-my-last-write': 'NotMyLastWrite',
  'not-my-own-write': 'NotMyOwnWrite',
  G1b: 'IntermediateRead',
  'non-repeatable-read': 'NonRepeatableReads',
  'session-guarantee-violation': 'SessionGuaranteeViolation',
  'non-monotonic-read': 'NonMonotonicRead',
  'fractured-read': 'FracturedRead',
  'causality-violation': 'CausalityViolation',
  'G-nonadjacent': 'LongFork',
  'lost-update': 'LostUpdate',
  'G2-item': 'WriteSkew',
};

/** Adds the paper's name; other cycles (G1c) and what takes real time are not among its fourteen. */
export function withPattern(anomaly: FoundAnomaly): FoundAnomaly {
  const pattern = PATTERNS[anomaly.name];
  return pattern === undefined ? anomaly : { ...anomaly, pattern };
}
