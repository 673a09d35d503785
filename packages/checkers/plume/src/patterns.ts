import type { ByLevel, LevelName } from '@isolab/contract';
import type { InternalAnomalyName } from '@isolab/history';

/** The transactional anomalous patterns (Table 1). */
export type Pattern = `TAP-${'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm' | 'n'}`;

/** The patterns that a single read shows, by their names in the history package. */
export const INTERNAL_PATTERNS: Readonly<Record<InternalAnomalyName, Pattern>> = {
  'thin-air-read': 'TAP-a',
  'aborted-read': 'TAP-b',
  'future-read': 'TAP-c',
  'not-my-own-write': 'TAP-d',
  'not-my-last-write': 'TAP-e',
  'intermediate-read': 'TAP-f',
  'non-repeatable-read': 'TAP-j',
};

/** Table 2, limited to patterns of three transactions. */
const TRIPLES: ByLevel<readonly Pattern[]> = {
  'read-committed': ['TAP-h', 'TAP-i'],
  'read-atomic': ['TAP-h', 'TAP-i', 'TAP-k', 'TAP-l'],
  causal: ['TAP-h', 'TAP-i', 'TAP-k', 'TAP-l', 'TAP-m', 'TAP-n'],
};

export const triplePatterns = (level: LevelName): readonly Pattern[] => TRIPLES[level] ?? [];

/** t₁ WR(x) t₃ as a row, and t₂, which also writes x and is visible to t₃, but comes after t₁. */
export interface Triple {
  readonly pattern: Pattern;
  /** Node, or INITIAL. */
  readonly t1: number;
  readonly t2: number;
  readonly t3: number;
  readonly row: number;
}
