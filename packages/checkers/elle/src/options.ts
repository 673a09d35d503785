import type { CheckerInfo } from '@isolab/contract';

export interface ElleOptions {
  readonly model: 'auto' | 'list-append' | 'rw-register';
  readonly anomalies: string;
  readonly wfrKeys: boolean;
  readonly sequentialKeys: boolean;
  readonly linearizableKeys: boolean;
  readonly unwritten: 'anomaly' | 'ignored';
}

export const OPTIONS: CheckerInfo<ElleOptions>['options'] = {
  model: {
    default: 'auto',
    choices: ['auto', 'list-append', 'rw-register'],
    help: 'Set what the keys hold; a history of the other kind is refused.',
  },
  anomalies: {
    default: '',
    help: 'Look only for these anomalies and for anomalies that imply them (Elle’s names, separated by commas); all if empty.',
  },
  wfrKeys: {
    default: true,
    help: 'Registers: assume that a transaction that reads and writes a key writes a later version than it read.',
  },
  sequentialKeys: {
    default: false,
    help: 'Registers: assume that no session goes back from a version of a key to an earlier one. Where the level has no sessions, the verdict depends on it.',
  },
  linearizableKeys: {
    default: false,
    help: 'Registers: assume that every key is linearizable. Where the level has no real time, the verdict depends on it.',
  },
  unwritten: {
    default: 'anomaly',
    choices: ['anomaly', 'ignored'],
    help: 'Treat a read of a value that no transaction wrote as an anomaly, or ignore it as Elle does, which treats the value as an initial state.',
  },
};

export const VARIANTS: CheckerInfo<ElleOptions>['variants'] = {
  'as-published': {
    help: 'Ignore values that no transaction wrote.',
    options: { unwritten: 'ignored' },
  },
  'no-inference': {
    help: 'Registers: assume only that initial states come first.',
    options: { wfrKeys: false },
  },
  'sequential-keys': {
    help: 'Registers: assume that every key is sequentially consistent.',
    options: { sequentialKeys: true },
  },
  'linearizable-keys': {
    help: 'Registers: assume that every key is linearizable.',
    options: { sequentialKeys: true, linearizableKeys: true },
  },
};
