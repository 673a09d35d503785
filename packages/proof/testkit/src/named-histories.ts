import { LEVELS, type LevelName, implies } from '@isolab/contract';
import type { History } from '@isolab/history';
import { BOUNDARIES, LISTS, MTC_ANOMALIES, PLUME_PATTERNS, TRAPS } from './named-texts.ts';
import { parseHistory } from './notation.ts';

export interface NamedHistory {
  readonly name: string;
  /** In the notation of `h`. */
  readonly text: string;
  readonly history: History;
  readonly verdicts: Readonly<Record<LevelName, 'satisfied' | 'violated'>>;
}

/**
 * Strongest levels that each named history satisfies. The history satisfies only these levels and the levels that they
 * imply.
 */
const STRONGEST = {
  // BOUNDARIES
  'nothing-holds': [],
  'cut-isolation-only': ['cut-isolation'],
  'pl2-not-read-committed': ['read-committed-dbcop', 'generalized-snapshot-isolation', 'plain-serializable'],
  'read-committed-not-dbcop': ['read-committed'],
  'dbcop-not-read-atomic': ['cut-isolation', 'read-committed-dbcop', 'linearizable'],
  'read-atomic-not-causal': ['read-atomic', 'linearizable'],
  'causal-not-prefix': ['causal', 'linearizable'],
  'prefix-not-snapshot': ['prefix'],
  'pl2-not-adya-snapshot': ['causal', 'linearizable'],
  'adya-not-snapshot-isolation': ['read-committed-dbcop', 'generalized-snapshot-isolation', 'plain-serializable'],
  'adya-not-generalized': ['serializable'],
  'snapshot-isolation-not-strong-session': ['serializable'],
  'generalized-not-strong-session': ['read-committed-dbcop', 'generalized-snapshot-isolation', 'plain-serializable'],
  'strong-session-not-strong': ['strong-session-snapshot-isolation', 'serializable'],
  'adya-not-plain-serializable': ['strong-snapshot-isolation', 'linearizable'],
  'plain-serializable-not-serializable': [
    'read-committed-dbcop',
    'generalized-snapshot-isolation',
    'plain-serializable',
  ],
  'snapshot-not-serializable': ['strong-snapshot-isolation', 'linearizable'],
  'serializable-not-strict': ['strong-session-snapshot-isolation', 'serializable'],
  'strict-not-generalized': ['strict-serializable', 'linearizable'],
  'commit-without-return': ['strict-serializable', 'linearizable'],
  'linearizable-not-serializable': ['causal', 'generalized-snapshot-isolation', 'plain-serializable', 'linearizable'],
  'linearizable-not-strict': ['strong-snapshot-isolation', 'linearizable'],
  // LISTS
  'list-appends': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'list-incompatible-orders': ['cut-isolation'],
  'list-stale-read': ['read-committed-dbcop', 'generalized-snapshot-isolation', 'plain-serializable'],
  'list-missing-element': ['generalized-snapshot-isolation', 'plain-serializable'],
  'list-intermediate-read': ['cut-isolation'],
  'list-own-append': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'list-blind-to-own-append': ['cut-isolation'],
  'list-aborted-read': ['cut-isolation'],
  'list-thin-air-read': ['cut-isolation'],
  'list-lost-update': ['prefix'],
  'list-long-fork': ['causal', 'linearizable'],
  'list-write-cycle': ['cut-isolation', 'linearizable'],
  'list-own-element-twice': ['cut-isolation'],
  'list-own-element-twice-before-another': ['cut-isolation'],
  'list-own-element-twice-after-another': ['cut-isolation'],
  'list-own-element-among-others': ['cut-isolation'],
  'list-non-repeatable-read': ['read-committed-dbcop'],
  'list-element-like-the-initial-value': ['read-committed'],
  // MTC_ANOMALIES
  'mtc-a-thin-air-read': ['cut-isolation'],
  'mtc-b-aborted-read': ['cut-isolation'],
  'mtc-c-future-read': ['cut-isolation'],
  'mtc-d-not-my-last-write': ['cut-isolation'],
  'mtc-e-not-my-own-write': ['cut-isolation'],
  'mtc-f-intermediate-read': ['cut-isolation'],
  'mtc-g-non-repeatable-reads': ['read-committed-dbcop'],
  'mtc-g-reversed': ['read-committed'],
  'mtc-h-session-guarantee-violation': ['read-committed-dbcop', 'generalized-snapshot-isolation', 'plain-serializable'],
  'mtc-i-non-monotonic-read': ['cut-isolation', 'read-committed-pl2', 'linearizable'],
  'mtc-j-fractured-read': ['cut-isolation', 'read-committed-dbcop', 'linearizable'],
  'mtc-j-reversed': ['cut-isolation', 'read-committed-pl2', 'linearizable'],
  'mtc-k-causality-violation': ['read-atomic', 'linearizable'],
  'mtc-l-long-fork': ['causal', 'linearizable'],
  'mtc-m-lost-update': ['prefix'],
  'mtc-n-write-skew': ['strong-snapshot-isolation', 'linearizable'],
  // PLUME_PATTERNS
  'tap-a-thin-air-read': ['cut-isolation'],
  'tap-b-aborted-read': ['cut-isolation'],
  'tap-c-future-read': ['cut-isolation'],
  'tap-d-not-my-own-write': ['cut-isolation'],
  'tap-e-not-my-last-write': ['cut-isolation'],
  'tap-f-intermediate-read': ['cut-isolation'],
  'tap-g-cyclic-co': ['cut-isolation', 'linearizable'],
  'tap-h-non-monotonic-read-co': ['generalized-snapshot-isolation', 'plain-serializable', 'linearizable'],
  'tap-i-non-monotonic-read-cm': ['cut-isolation', 'read-committed-pl2', 'linearizable'],
  'tap-j-non-repeatable-read': ['read-committed-dbcop'],
  'tap-k-fractured-read-co': [
    'read-committed-dbcop',
    'generalized-snapshot-isolation',
    'plain-serializable',
    'linearizable',
  ],
  'tap-l-fractured-read-cm': ['cut-isolation', 'read-committed-dbcop', 'linearizable'],
  'tap-m-co-conflict-cm': ['read-atomic', 'generalized-snapshot-isolation', 'plain-serializable', 'linearizable'],
  'tap-n-conflict-cm': ['read-atomic', 'generalized-snapshot-isolation', 'plain-serializable', 'linearizable'],
  // TRAPS
  empty: ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'empty-transaction': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'stale-initial-read-in-session': ['read-committed-dbcop', 'generalized-snapshot-isolation', 'plain-serializable'],
  'stale-initial-read-before-unknown-result': [
    'read-committed-dbcop',
    'generalized-snapshot-isolation',
    'plain-serializable',
  ],
  'early-read-before-unknown-result': ['generalized-snapshot-isolation', 'plain-serializable'],
  'real-time-through-an-unknown-read': ['strong-session-snapshot-isolation', 'serializable'],
  'stale-initial-read-after-read': ['read-atomic', 'generalized-snapshot-isolation', 'plain-serializable'],
  'causality-through-initial': ['read-atomic', 'generalized-snapshot-isolation', 'plain-serializable', 'linearizable'],
  'write-skew-of-sessions': ['causal', 'generalized-snapshot-isolation', 'plain-serializable', 'linearizable'],
  'initial-read-after-newer-key': ['cut-isolation', 'read-committed-pl2', 'linearizable'],
  'initial-read-before-newer-key': ['cut-isolation', 'read-committed-dbcop', 'linearizable'],
  'monotonic-reads-violated': ['read-atomic', 'generalized-snapshot-isolation', 'plain-serializable'],
  'reads-own-write': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'reads-own-write-after-read': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'read-of-own-later-write': ['cut-isolation'],
  'read-of-later-transaction-of-session': ['generalized-snapshot-isolation', 'plain-serializable'],
  'intermediate-read-by-later-transaction': ['cut-isolation'],
  'aborted-intermediate-read': ['cut-isolation'],
  'aborted-transaction-reads-anything': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'aborted-transaction-between': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'read-skew': ['cut-isolation', 'read-committed-dbcop', 'linearizable'],
  'lost-update': ['prefix'],
  'long-fork-with-writers': ['causal', 'linearizable'],
  'read-only-anomaly': ['strong-snapshot-isolation', 'linearizable'],
  'blind-writes': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'blind-writes-observed-in-opposite-orders': ['read-atomic', 'generalized-snapshot-isolation', 'plain-serializable'],
  'commit-order-is-not-file-order': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'unknown-was-read': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'unknown-was-not-read': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'unknown-breaks-its-session': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'unknown-read-and-missed': ['cut-isolation', 'read-committed-pl2', 'linearizable'],
  'unknown-read-by-unknown': ['read-atomic', 'generalized-snapshot-isolation', 'plain-serializable', 'linearizable'],
  'unknown-read-by-aborted': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'unknown-commits-late': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'times-touch': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'initial-value-written-again': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'initial-value-written-again-in-time': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'initial-value-written-too-late': ['read-committed-dbcop', 'generalized-snapshot-isolation', 'serializable'],
  'nil-beside-an-initial-value': ['cut-isolation'],
  'zero-where-nil-is-initial': ['cut-isolation'],
  'write-of-initial-value': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'repeated-value-of-two': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'repeated-value-does-not-help': ['cut-isolation', 'read-committed-pl2', 'linearizable'],
  'repeated-value-helps': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'exchange-chain': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  'exchange-lost-update': ['prefix'],
  'insert-and-delete': ['strong-snapshot-isolation', 'strict-serializable', 'linearizable'],
  phantom: ['cut-isolation', 'read-committed-dbcop', 'linearizable'],
} as const satisfies Record<string, readonly LevelName[]>;

export const NAMED_HISTORIES: readonly NamedHistory[] = Object.entries({
  ...MTC_ANOMALIES,
  ...PLUME_PATTERNS,
  ...BOUNDARIES,
  ...TRAPS,
  ...LISTS,
}).map(([name, text]) => {
  const strongest: readonly LevelName[] = STRONGEST[name as keyof typeof STRONGEST];
  const holds = (level: LevelName): boolean => strongest.some((strong) => implies(strong, level));
  const verdicts = Object.fromEntries(LEVELS.map(({ name: l }) => [l, holds(l) ? 'satisfied' : 'violated'] as const));
  return { name, text, history: parseHistory(text), verdicts: verdicts as NamedHistory['verdicts'] };
});

export function namedHistory(name: string): NamedHistory {
  const found = NAMED_HISTORIES.find((named) => named.name === name);
  if (!found) throw new RangeError(`No history is called ${name}.`);
  return found;
}
