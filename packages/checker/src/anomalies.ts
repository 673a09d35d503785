import type { InternalAnomalyName } from '@isolab/history';
import { type LevelName, LEVELS } from './levels.ts';

/** What an anomaly is called. The name is Elle's where Elle has one. */
export interface Anomaly {
  readonly name: string;
  readonly title: string;
  /** Names in Plume (TAP a to n), MTC, Adya and other papers. */
  readonly aliases: readonly string[];
}

/** The names of the internal anomalies that packages/history finds. */
export const INTERNAL_ANOMALY_NAMES: Readonly<Record<InternalAnomalyName, Anomaly>> = {
  'thin-air-read': {
    name: 'thin-air-read',
    title: 'a read of a value that nothing wrote',
    aliases: ['garbage-read', 'ThinAirRead', 'TAP-a'],
  },
  'aborted-read': {
    name: 'G1a',
    title: 'a read from an aborted transaction',
    aliases: ['aborted-read', 'AbortedRead', 'TAP-b', 'dirty-read', 'P1'],
  },
  'future-read': {
    name: 'future-read',
    title: 'a read of what the transaction itself writes only later',
    aliases: ['internal', 'FutureRead', 'TAP-c'],
  },
  'not-my-own-write': {
    name: 'not-my-own-write',
    title: 'a read that does not see the transaction’s own write',
    aliases: ['internal', 'NotMyOwnWrite', 'TAP-d'],
  },
  'not-my-last-write': {
    name: 'not-my-last-write',
    title: 'a read of the transaction’s own write before its last',
    aliases: ['internal', 'NotMyLastWrite', 'TAP-e'],
  },
  'intermediate-read': {
    name: 'G1b',
    title: 'a read of a value that its writer itself overwrote',
    aliases: ['intermediate-read', 'IntermediateRead', 'TAP-f'],
  },
  'non-repeatable-read': {
    name: 'non-repeatable-read',
    title: 'two reads of a key that see different values',
    aliases: ['fuzzy-read', 'NonRepeatableRead', 'TAP-j', 'P2', 'internal'],
  },
};

/** The levels that forbid an internal anomaly. */
export function levelsForbidding(anomaly: InternalAnomalyName): readonly LevelName[] {
  const names = LEVELS.map((level) => level.name);
  if (anomaly !== 'non-repeatable-read') return names.filter((name) => name !== 'cut-isolation');
  return names.filter((name) => !name.startsWith('read-committed'));
}
