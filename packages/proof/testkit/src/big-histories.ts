import type { History, PlainOperation, PlainTransaction } from '@isolab/history';
import { historyOf } from './notation.ts';

/** Long serial executions, of every shape that a checker may require, for testing budgets. */
export function bigHistories(): readonly History[] {
  return [registers(true), registers(false), lists()];
}

const SESSIONS = 4;
const LENGTH = 60;

/** Each transaction reads and writes a key, or reads and writes alternate. */
function registers(both: boolean): History {
  const latest = [0n, 0n, 0n];
  return serial((i) => {
    const k = i % latest.length;
    const key = 'xyz'[k]!;
    const read: PlainOperation = { kind: 'read', key, value: latest[k]! };
    if (!both && i % 2 === 1) return [read];
    latest[k]! += 1n;
    const write: PlainOperation = { kind: 'write', key, value: latest[k]! };
    return both ? [read, write] : [write];
  });
}

function lists(): History {
  const latest: bigint[][] = [[], [], []];
  return serial((i) => {
    const k = i % latest.length;
    const key = 'xyz'[k]!;
    const read: PlainOperation = { kind: 'list-read', key, elements: latest[k]! };
    latest[k] = [...latest[k]!, BigInt(latest[k]!.length + 1)];
    return [read, { kind: 'append', key, value: latest[k]!.at(-1)! }];
  });
}

function serial(operationsOf: (i: number) => readonly PlainOperation[]): History {
  const sessions: PlainTransaction[][] = Array.from({ length: SESSIONS }, () => []);
  for (let i = 0; i < LENGTH; i++) {
    const [begin, end] = [BigInt(2 * i), BigInt(2 * i + 1)];
    const times = { begin, end, startTs: begin, commitTs: end };
    sessions[i % SESSIONS]!.push({ status: 'committed', operations: operationsOf(i), ...times });
  }
  return historyOf(sessions);
}
