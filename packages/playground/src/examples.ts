/** Histories to begin with: named histories of testkit, and what to see in them. */

import { namedHistory } from '@isolab/testkit';

export interface Example {
  readonly title: string;
  readonly note: string;
  readonly text: string;
}

const CHOSEN: readonly (readonly [name: string, title: string, note: string])[] = [
  ['lost-update', 'Lost update', 'Two transactions read x = 1 and both overwrite it; one of the updates is lost.'],
  [
    'mtc-n-write-skew',
    'Write skew',
    'Each reads what the other one writes: fine under snapshot isolation, not serializable.',
  ],
  ['causal-not-prefix', 'Long fork', 'Two readers see two writes in opposite orders.'],
  ['read-skew', 'Fractured read', 'A reader sees one half of a transaction.'],
  ['mtc-k-causality-violation', 'Causality violation', 'A reader sees a reaction, but not what it reacts to.'],
  ['read-only-anomaly', 'Read-only anomaly', 'The two writers alone are serializable; the reader makes them not so.'],
  ['tap-b-aborted-read', 'Aborted read', 'A value is read that an aborted transaction wrote.'],
  ['tap-f-intermediate-read', 'Intermediate read', 'A value is read that its writer overwrote before it committed.'],
  ['monotonic-reads-violated', 'Going back in time', 'A session sees the new value first, then the old one.'],
  [
    'serializable-not-strict',
    'Stale read',
    'A read misses a write that was over before: only real time speaks against it.',
  ],
  ['list-lost-update', 'Lists', 'Appends to a list; what is read back tells the order of the writes.'],
  ['phantom', 'Phantom', 'A range read misses one of two rows that were inserted together.'],
  ['exchange-chain', 'All is well', 'Compare-and-sets, one after another: every level holds.'],
];

export const examples = (): Example[] =>
  CHOSEN.map(([name, title, note]) => ({ title, note, text: namedHistory(name).text }));
