import { OpKind } from '@isolab/history';
import type { Random } from '../workload/random.ts';
import type { RecordedOutcome, Recorder } from './recorder.ts';

type PlantedStep = readonly [kind: 'r' | 'w', key: 'x' | 'y' | 'z', version: number];

interface PlantedTransaction {
  readonly steps: readonly PlantedStep[];
  readonly outcome?: RecordedOutcome;
}

const steps = (...list: readonly PlantedStep[]): PlantedTransaction => ({ steps: list });

/**
 * Anomalies added to a history once, as transactions of additional sessions that read only each other's writes. Viper's
 * figures 14 and 15 measure such histories.
 */
export const PLANTED = {
  'lost-update': [steps(['w', 'x', 1]), steps(['r', 'x', 1], ['w', 'x', 2]), steps(['r', 'x', 1], ['w', 'x', 3])],
  'aborted-read': [{ ...steps(['w', 'x', 1]), outcome: 'aborted' }, steps(['r', 'x', 1])],
  'future-read': [steps(['r', 'x', 1], ['w', 'x', 1])],
  /** A cycle of three reads, each of the previous transaction's write. */
  g1c: [steps(['r', 'z', 1], ['w', 'x', 1]), steps(['r', 'x', 1], ['w', 'y', 1]), steps(['r', 'y', 1], ['w', 'z', 1])],
  'long-fork': [
    steps(['w', 'x', 1], ['w', 'y', 1]),
    steps(['r', 'x', 1], ['w', 'x', 2]),
    steps(['r', 'y', 1], ['w', 'y', 2]),
    steps(['r', 'x', 2], ['r', 'y', 1]),
    steps(['r', 'x', 1], ['r', 'y', 2]),
  ],
  /** Read skew; the writes are blind, so either order of the two writers closes a cycle with one anti-dependency. */
  'g-sib': [
    steps(['w', 'x', 1], ['w', 'y', 1]),
    steps(['w', 'x', 2], ['w', 'y', 2]),
    steps(['r', 'x', 2], ['r', 'y', 1]),
  ],
} as const satisfies Readonly<Record<string, readonly PlantedTransaction[]>>;

export type PlantedName = keyof typeof PLANTED;

/** Adds the anomaly on random keys of the workload. Clients from `client` on are unused; all begin at the same time. */
export function plant(
  name: PlantedName,
  keys: number,
  recorder: Recorder,
  client: number,
  time: number,
  random: Random,
): void {
  const [x, y, z] = distinctKeys(keys, random);
  const keyOf = { x: recorder.key(x), y: recorder.key(y), z: recorder.key(z) };
  const transactions: readonly PlantedTransaction[] = PLANTED[name];
  for (const i of transactions.keys()) {
    recorder.asks(client + i, time);
    recorder.begin(client + i);
  }
  for (const [i, transaction] of transactions.entries()) {
    for (const [kind, key, version] of transaction.steps)
      recorder.operation(client + i, kind === 'r' ? OpKind.Read : OpKind.Write, keyOf[key], FIRST_VALUE + version);
    recorder.asks(client + i, time + 1);
    recorder.end(client + i, transaction.outcome ?? 'committed', false);
  }
}

/** Above all values of the workload. */
const FIRST_VALUE = 1_000_000_000;

function distinctKeys(keys: number, random: Random): [number, number, number] {
  const found = new Set<number>();
  while (found.size < 3) found.add(random.below(keys));
  return [...found] as [number, number, number];
}
