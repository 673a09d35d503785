import type { Answer, Row } from '@isolab/workloads';
import type { Question } from '../answers.ts';
import type { DataKind } from '../database.ts';

/** How a value is put under a key and found again, whatever the kind of data. */
export interface Kind {
  readonly data: DataKind;
  put(key: number | string, value: number): Question;
  get(key: number | string): Question;
  /** The values that an answer shows. */
  values(answer: Answer): readonly number[];
}

export const KINDS: Readonly<Record<DataKind, Kind>> = {
  registers: {
    data: 'registers',
    put: (key, value) => ({ kind: 'write', key, value }),
    get: (key) => ({ kind: 'read', key }),
    values: (answer) => (typeof answer === 'number' ? [answer] : []),
  },
  lists: {
    data: 'lists',
    put: (key, value) => ({ kind: 'append', key, value }),
    get: (key) => ({ kind: 'read-list', key }),
    values: (answer) => answer as readonly number[],
  },
  rows: {
    data: 'rows',
    put: (key, value) => ({ kind: 'insert', key, value }),
    get: (key) => ({ kind: 'range', low: key as number, high: key as number }),
    values: (answer) => (answer as readonly Row[]).filter(({ dead }) => !dead).map(({ value }) => value),
  },
};
