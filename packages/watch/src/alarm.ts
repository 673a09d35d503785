import type { Violation } from './engine.ts';
import type { Log } from './engine.ts';

/** What is said of a violation that is certain. */
export interface Alarmed {
  readonly anomalies: readonly string[];
  readonly sentence: string;
  readonly line: number;
}

/** Proves a violation by lines of the log; null if it cannot be proved. */
export async function raise({ verdict, numberOf }: Violation, _log: Log): Promise<Alarmed | null> {
  const { anomalies } = verdict;
  const lines = anomalies.flatMap(({ transactions }) => transactions.flatMap((t) => (t < 0 ? [] : [numberOf[t]!])));
  return {
    anomalies: anomalies.map(({ name }) => name),
    sentence: anomalies.map(({ name }) => name).join(', '),
    line: Math.max(...lines),
  };
}
