import { originOf } from '../sql/origin.ts';
import type { JudgedRecording, Trouble } from './judge.ts';

/** The change of one anomaly between two recordings. */
export interface ComparedTrouble {
  readonly change: 'gone' | 'fewer' | 'same' | 'more' | 'new';
  readonly title: string;
  readonly before: number;
  readonly now: number;
  /** The statements of the first transaction of the anomaly. */
  readonly statements: readonly string[];
}

/** Compares the anomalies of a recording with an earlier one: the same anomaly has the same name and statements. */
export function compared(before: JudgedRecording, now: JudgedRecording): ComparedTrouble[] {
  const left = new Map(now.troubles.map((trouble) => [keyOf(trouble), trouble]));
  const found = before.troubles.map((trouble) => {
    const other = left.get(keyOf(trouble));
    left.delete(keyOf(trouble));
    return comparison(trouble, trouble.count, other?.count ?? 0);
  });
  return [...found, ...[...left.values()].map((trouble) => comparison(trouble, 0, trouble.count))];
}

function comparison({ title, example }: Trouble, before: number, now: number): ComparedTrouble {
  const change = now === 0 ? 'gone' : before === 0 ? 'new' : now < before ? 'fewer' : now > before ? 'more' : 'same';
  return { change, title, before, now, statements: example[0]?.statements ?? [] };
}

const keyOf = ({ title, example }: Trouble): string =>
  JSON.stringify([
    title,
    example.map(({ statements }) => statements.map((sql) => originOf(sql).sql).join('; ')).toSorted(),
  ]);
