import { isTransaction, linesOf } from '../lines.ts';
import type { LogRead } from './log.ts';

/** Which numbers in a recording belong to which transactions. */
export interface Survey {
  /** The numbers of transactions that were recorded. */
  readonly claimed: ReadonlySet<number>;
  /** The number of the transaction, for that of a subtransaction; others as they are. */
  readonly topOf: (xmin: number) => number;
  /** Numbers of subtransactions that may belong to several transactions. */
  readonly unclear: ReadonlySet<number>;
  /** The lines of transactions of unknown outcome, of which no later line tells it. */
  readonly unfinished: ReadonlySet<number>;
}

/** Reads a recording for the numbers in it. `isInitial` are those of versions that there were in the beginning. */
export async function survey(path: string, log: LogRead, isInitial: (xmin: number) => boolean): Promise<Survey> {
  const claimed = new Set<number>();
  const tops = new Map<number, number>();
  const seen = new Set<number>();
  const initial = new Set<number>();
  const unfinished = new Set<number>();
  const last = new Map<string, number>();
  const { entries } = log;
  for await (const [number, text] of linesOf(path)) {
    const session = SESSION.exec(text)?.[1] ?? '';
    if (text.startsWith('{"outcome":')) unfinished.delete(last.get(session)!);
    else if (text.startsWith('{"rows":')) for (const xmin of xminsIn(text)) initial.add(xmin);
    else if (isTransaction(text)) {
      if (text.startsWith(`{"session":${session},"status":"unknown"`)) {
        unfinished.add(number);
        last.set(session, number);
      }
      const [xid, ...subtransactions] = XIDS.exec(text)?.[1]?.split(',').map(Number) ?? [];
      if (xid !== undefined) {
        claimed.add(xid);
        for (const xmin of subtransactions) if (xmin !== xid) tops.set(xmin, xid);
      }
      for (const xmin of xminsIn(text)) if (!isInitial(xmin) && !entries.has(xmin)) seen.add(xmin);
    }
  }
  const strange = new Set([...seen].filter((xmin) => !claimed.has(xmin) && !tops.has(xmin) && !initial.has(xmin)));
  const unclear = strange.size > 0 ? await match(path, strange, log, tops) : new Set<number>();
  return { claimed, topOf: (xmin) => tops.get(xmin) ?? xmin, unclear, unfinished };
}

const SESSION = /^\{"(?:outcome":"\w+",")?session":("(?:[^"\\]|\\.)*")/;
const XIDS = /"xids":\[([\d,]+)\]/;

function* xminsIn(text: string): Generator<number> {
  for (const [, xmin] of text.matchAll(/"xmin":(\d+)/g)) yield Number(xmin);
}

type Version = readonly [table: string, key: unknown, row: { readonly xmin: number }];

/**
 * Finds the transactions of subtransactions that nobody told: each has written the rows that were read of it, and so must
 * be one that wrote all of them. Gives those of which several did.
 */
async function match(
  path: string,
  strange: ReadonlySet<number>,
  { entries }: LogRead,
  tops: Map<number, number>,
): Promise<Set<number>> {
  const sightings = await sightingsOf(path, strange);
  const wanted = new Set([...sightings.values()].flatMap((texts) => [...texts]));
  const writers = new Map<string, Set<number>>();
  for (const { xid, puts } of entries) {
    const last = new Map(puts.map((put) => [JSON.stringify([put[0], put[1]]), put]));
    for (const [table, key, row] of last.values()) {
      if (row === null) continue;
      const text = withoutWriter([table, key, row as Version[2]]);
      if (wanted.has(text)) writers.set(text, (writers.get(text) ?? new Set()).add(xid));
    }
  }
  const unclear = new Set<number>();
  for (const [xmin, texts] of sightings) {
    const [first, ...others] = [...texts].map((text) => writers.get(text) ?? new Set<number>());
    // A subtransaction has a higher number than its transaction.
    const possible = [...first!].filter((xid) => ((xid - xmin) | 0) < 0 && others.every((each) => each.has(xid)));
    if (possible.length === 1) tops.set(xmin, possible[0]!);
    else if (possible.length > 1) unclear.add(xmin);
  }
  return unclear;
}

/** The versions that were read, by the numbers that they have, without these. */
async function sightingsOf(path: string, strange: ReadonlySet<number>): Promise<Map<number, Set<string>>> {
  const sightings = new Map<number, Set<string>>();
  for await (const [, text] of linesOf(path)) {
    if (!isTransaction(text) || ![...xminsIn(text)].some((xmin) => strange.has(xmin))) continue;
    const { ops } = JSON.parse(text) as { ops: (readonly [string, ...Version])[] };
    for (const [kind, ...version] of ops) {
      const xmin = version[2]?.xmin;
      // A line of a version alone has it as written, and is none of its writer.
      if (xmin === undefined || !strange.has(xmin) || (kind === 'put' && ops.length > 1)) continue;
      sightings.set(xmin, (sightings.get(xmin) ?? new Set()).add(withoutWriter(version)));
    }
  }
  return sightings;
}

const withoutWriter = ([table, key, row]: Version): string => JSON.stringify([table, key, { ...row, xmin: 0 }]);
