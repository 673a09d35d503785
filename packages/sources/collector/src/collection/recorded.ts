import { type LevelName, implies } from '@isolab/contract';
import { type Answer, type Key, type WorkloadRow, type TableAnswer, isTableRequest } from '@isolab/workloads';
import type { KeyQuestion, Question } from '../database/answers.ts';
import type { DataKind } from '../database/database.ts';
import { rowOperationsOf, writesRows } from '../rows/recorded.ts';

const READS: ReadonlySet<Question['kind']> = new Set(['read', 'read-list', 'range']);

/** Returns whether a request may change data. */
const writes = (question: Question): boolean =>
  isTableRequest(question) ? writesRows(question) : !READS.has(question.kind);

/**
 * Answered requests of a transaction. An answer that shows writes of other transactions proves that the snapshot
 * exists. Without such an answer it may not: some drivers hold back writes until COMMIT and answer reads from them, and
 * some databases change the newest row before they take a snapshot.
 */
export class Answered {
  readonly #written = new Set<Key | null>(); // null stands for table rows

  get hasWritten(): boolean {
    return this.#written.size > 0;
  }

  /** Adds a request. Returns whether its answer comes from the snapshot. */
  add(request: Question): boolean {
    const key = 'key' in request ? request.key : null;
    // A locking read may read the newest version, before the snapshot exists.
    if ('lock' in request) return false;
    if (!writes(request)) return key === null || !this.#written.has(key);
    this.#written.add(key);
    return false;
  }
}

export function operationsOf(
  request: Question,
  answer: Answer,
  data: DataKind,
  level: LevelName = 'serializable',
): readonly string[] {
  if (isTableRequest(request)) return rowOperationsOf(request, answer as TableAnswer, implies(level, 'read-atomic'));
  return [operationOf(request, answer, data)];
}

/** Returns the value of a key without a value, which a history states as its initial value. */
export const absentIn = (data: DataKind): 0 | null => (data === 'registers' || data === 'counters' ? 0 : null);

function operationOf(request: KeyQuestion, answer: Answer, data: DataKind): string {
  const absent = absentIn(data);
  switch (request.kind) {
    case 'read':
      return entry('r', request.key, (answer as number | null) ?? absent);
    case 'write':
      return entry('w', request.key, request.value);
    case 'increment':
      return entry('inc', request.key, request.value);
    case 'append':
      return entry('append', request.key, request.value);
    case 'read-list':
      return entry('r', request.key, answer as readonly number[]);
    case 'insert':
    case 'delete': {
      // An insert that finds a row only reads, and so does a delete that finds no row.
      const [found] = answer as readonly WorkloadRow[];
      const isLive = found !== undefined && !found.dead;
      if (isLive === (request.kind === 'insert')) return entry('r', request.key, found?.value ?? absent);
      const remark = found?.dead ? ['tombstone'] : [];
      return entry(request.kind, request.key, found?.value ?? absent, request.value, ...remark);
    }
    case 'range': {
      const rows = (answer as readonly WorkloadRow[]).map(({ key, value, dead }) => [
        key,
        value,
        ...(dead ? ['dead'] : []),
      ]);
      return JSON.stringify(['range', request.low, request.high, rows]);
    }
    case 'compare-and-set':
      return entry('cas', request.key, request.expected ?? absent, request.value, ...(answer ? [] : ['failed']));
  }
}

/** Returns an operation on a key. */
function entry(kind: string, key: Key, value: number | null | readonly number[], ...rest: readonly unknown[]): string {
  if (typeof key !== 'number' || rest.length > 0) return JSON.stringify([kind, key, value, ...rest]);
  return typeof value === 'object' && value !== null
    ? `["${kind}",${key},[${value.join(',')}]]`
    : `["${kind}",${key},${value}]`;
}
