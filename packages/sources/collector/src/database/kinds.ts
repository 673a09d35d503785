import type { Answer, WorkloadRow, Table, TableRow } from '@isolab/workloads';
import type { Question } from './answers.ts';
import type { DataKind } from './database.ts';

/** Requests that write a value under a key and read it back, for any kind of data. */
export interface Kind {
  readonly data: DataKind;
  readonly tables?: readonly Table[];
  /** Whether a key is inserted at most once, as a row. */
  readonly hasRows: boolean;
  put(key: number | string, value: number): Question;
  get(key: number | string): Question;
  values(answer: Answer): readonly number[];
}

/** A table like those of workloads. */
export const TRIAL_TABLE = {
  name: 'trial',
  columns: { a: 'integer', open: 'boolean' },
  index: 'a',
} as const satisfies Table;

const REGISTERS: Kind = {
  data: 'registers',
  hasRows: false,
  put: (key, value) => ({ kind: 'write', key, value }),
  get: (key) => ({ kind: 'read', key }),
  values: (answer) => (typeof answer === 'number' ? [answer] : []),
};

export const KINDS: Readonly<Record<DataKind, Kind>> = {
  registers: REGISTERS,
  counters: { ...REGISTERS, data: 'counters' },
  lists: {
    data: 'lists',
    hasRows: false,
    put: (key, value) => ({ kind: 'append', key, value }),
    get: (key) => ({ kind: 'read-list', key }),
    values: (answer) => answer as readonly number[],
  },
  rows: {
    data: 'rows',
    hasRows: true,
    put: (key, value) => ({ kind: 'insert', key, value }),
    get: (key) => ({ kind: 'range', low: key as number, high: key as number }),
    values: (answer) => (answer as readonly WorkloadRow[]).filter(({ dead }) => !dead).map(({ value }) => value),
  },
  tables: {
    data: 'tables',
    hasRows: true,
    tables: [TRIAL_TABLE],
    put: (key, v) => ({ kind: 'insert-row', table: TRIAL_TABLE, row: { id: key as number, a: 1, open: true, v } }),
    get: (key) => ({ kind: 'get', table: TRIAL_TABLE, id: key as number }),
    values: (answer) => (answer === null ? [] : [(answer as TableRow).v]),
  },
};
