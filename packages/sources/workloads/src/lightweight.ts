import { type History, HistoryBuilder, OpKind } from '@isolab/history';
import { Random } from './workload/random.ts';
import type { Parameter } from './workload/workload.ts';

export interface LightweightOptions {
  readonly sessions: number;
  /** Average number of transactions of each session. */
  readonly transactions: number;
  /**
   * Share of sessions whose operations overlap with operations of others. The operations of other sessions are
   * instantaneous.
   */
  readonly concurrent: number;
  readonly objects: number;
  readonly seed: string | number;
  /** Fault of the history: two writers after the same value, or a chain that goes back in time. */
  readonly fault?: 'none' | 'lost-update' | 'stale-read';
}

export const LIGHTWEIGHT_PARAMETERS = {
  objects: { default: 1, help: 'number of objects', range: [1, 1e9] },
  concurrent: { default: 1, help: 'share of sessions whose operations overlap', range: [0, 1], fractional: true },
  fault: {
    default: 'none',
    help: 'fault that hits one operation',
    choices: ['none', 'lost-update', 'stale-read'],
  },
} as const satisfies Record<string, Parameter>;

/**
 * Generates MTC's lightweight transactions from a valid execution: chains of compare-and-sets with calls and returns.
 */
export function lightweightHistory(options: LightweightOptions): History {
  const { sessions, objects, seed, fault = 'none' } = options;
  const random = new Random(seed);
  const total = sessions * options.transactions;
  const points = assignSessions(total, sessions, random);
  const { begin, end } = intervals(points, options, random);
  const builder = new HistoryBuilder({ format: 'simulated', file: `lightweight, seed ${seed}`, unit: 'record' });
  builder.timeUnit = 'events';
  const chain = new Int32Array(objects); // number of the last write of each object
  // The fault affects one operation in the second half.
  const struck = fault === 'none' ? -1 : Math.floor(total * (0.5 + 0.4 * random.fraction()));
  for (let i = 0; i < total; i++) {
    const object = random.below(objects);
    const key = builder.keys.integer(0, object);
    const t = builder.begin(builder.session(BigInt(points[i]!)), i);
    const late = i === struck && fault === 'stale-read' ? 4n * STEP * BigInt(sessions) : 0n;
    builder.time(t, 'begin', begin[i]! + late);
    builder.time(t, 'end', end[i]! + late);
    const last = chain[object]!;
    const value = (n: number): number => (n === 0 ? 0 : builder.values.integer(0, n));
    const found = i === struck && fault === 'lost-update' ? Math.max(0, last - 1) : last;
    const written = last + 1;
    chain[object] = written;
    builder.exchange(OpKind.CompareAndSet, key, value(found), value(written));
  }
  return builder.finish();
}

/** Returns the session of the operation at each point of time. */
function assignSessions(total: number, sessions: number, random: Random): Int32Array {
  const session = new Int32Array(total);
  for (let i = 0; i < total; i++) session[i] = i % sessions;
  // Shuffled within rounds, so that all sessions advance at the same pace.
  for (let first = 0; first < total; first += sessions) {
    for (let i = Math.min(first + sessions, total) - 1; i > first; i--) {
      const j = random.between(first, i);
      [session[i], session[j]] = [session[j]!, session[i]!];
    }
  }
  return session;
}

/**
 * Returns the calls and returns. Operations of overlapping sessions begin as early and end as late as their session
 * allows.
 */
function intervals(points: Int32Array, { sessions, concurrent }: LightweightOptions, random: Random) {
  const overlapping = Math.round(concurrent * sessions);
  const begin: bigint[] = [];
  const end: bigint[] = [];
  const free = new Map<number, bigint>(); // by session: return of its last operation
  const next = nextOfSession(points, sessions);
  for (let i = 0; i < points.length; i++) {
    const session = points[i]!;
    const point = BigInt(i) * STEP;
    const reach = session < overlapping ? BigInt(overlapping) * STEP : STEP / 4n;
    const before = point - (reach * BigInt(1 + random.below(1000))) / 1000n;
    const earliest = (free.get(session) ?? before - 1n) + 1n;
    const limit = next[i]! < 0 ? point + reach : BigInt(next[i]!) * STEP - 2n;
    const after = point + (reach * BigInt(1 + random.below(1000))) / 1000n;
    begin[i] = before > earliest ? before : earliest;
    end[i] = after < limit ? after : limit;
    free.set(session, end[i]!);
  }
  return { begin, end };
}

function nextOfSession(points: Int32Array, sessions: number): Int32Array {
  const next = new Int32Array(points.length).fill(-1);
  const last = new Int32Array(sessions).fill(-1);
  for (let i = points.length - 1; i >= 0; i--) {
    next[i] = last[points[i]!]!;
    last[points[i]!] = i;
  }
  return next;
}

const STEP = 1000n;
