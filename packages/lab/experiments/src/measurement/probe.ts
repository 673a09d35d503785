/**
 * A small violated history for each outside tool, before its first cell at a level in a run. A tool that reads nothing,
 * or another file, accepts every history within milliseconds; its verdicts would be the fastest of the figure.
 */
import { type History, OpKind, type PlainHistory, type PlainOperation, fromPlain } from '@isolab/history';
import { sha256OfText } from '../experiment/checksum.ts';
import type { Tool } from '../experiment/tools.ts';
import type { Measured, RunCellOptions } from './run-cell.ts';
import { runTool } from './run-tool.ts';

export class Probes {
  /** Answers by tool, level and history. */
  readonly #known = new Map<string, Promise<string | null>>();

  /**
   * Finds the reason why the verdicts of a tool at a level do not count for a history; null if the tool rejects a
   * violated one of the same kind.
   */
  whyNotTrusted(
    name: string,
    tool: Tool,
    level: string,
    like: History,
    cache: string,
    options: RunCellOptions,
  ): Promise<string | null> {
    const probe = probeFor(level, like);
    const text = JSON.stringify(probe, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    const key = JSON.stringify([name, level, text]);
    let answer = this.#known.get(key);
    if (answer === undefined) {
      const available = { id: 'probe', path: '', sha256: sha256OfText(text), format: null, sizes: null, counters: {} };
      const limits = { ...options.limits, seconds: PROBE_SECONDS };
      const run = runTool(name, tool, level, fromPlain(probe), available, cache, { ...options, limits });
      this.#known.set(key, (answer = run.then((measured) => whyNot(name, level, measured))));
    }
    return answer;
  }
}

function whyNot(name: string, level: string, { verdict, reason }: Measured): string | null {
  if (verdict === 'violated') return null;
  return `not trusted: ${name} does not reject a small history that violates ${level}: ${reason ?? `it is ${verdict}`}`;
}

/** Long enough to start a program on a busy machine. */
const PROBE_SECONDS = 60;

/** History that violates the level, with operations of the same kind as the history to be measured. */
export function probeFor(level: string, { opKind }: Pick<History, 'opKind'>): PlainHistory {
  if (level === 'linearizable') return STALE;
  return opKind.includes(OpKind.Append) ? circular(append, elements) : circular(write, read);
}

type Makes = (key: bigint, value: bigint) => PlainOperation;
const read: Makes = (key, value) => ({ kind: 'read', key, value });
const write: Makes = (key, value) => ({ kind: 'write', key, value });
const append: Makes = (key, value) => ({ kind: 'append', key, value });
const elements: Makes = (key, value) => ({ kind: 'list-read', key, elements: value === 0n ? [] : [value] });

/**
 * Two transactions that read from each other, which every level forbids and every checker has to see: it needs no order
 * of writes, no times and no initial value. Each reads a key before it writes it, as mini-transactions do.
 */
const circular = (writes: Makes, reads: Makes): PlainHistory => ({
  initial: 0n,
  timeUnit: 'none',
  sessions: [
    session(1n, [reads(1n, 0n), writes(1n, 11n), reads(2n, 12n)]),
    session(2n, [reads(2n, 0n), writes(2n, 12n), reads(1n, 11n)]),
  ],
});

const session = (name: bigint, operations: readonly PlainOperation[]): PlainHistory['sessions'][number] => ({
  name,
  transactions: [{ status: 'committed', operations }],
});

/** A read that returns a value that had been overwritten before the read began. */
const STALE: PlainHistory = {
  initial: 0n,
  timeUnit: 'nanoseconds',
  sessions: [
    {
      name: 1n,
      transactions: [
        { status: 'committed', operations: [write(1n, 11n)], begin: 1n, end: 2n },
        { status: 'committed', operations: [write(1n, 12n)], begin: 3n, end: 4n },
      ],
    },
    { name: 2n, transactions: [{ status: 'committed', operations: [read(1n, 11n)], begin: 5n, end: 6n }] },
  ],
};
