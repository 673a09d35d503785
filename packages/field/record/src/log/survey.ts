import { type TransactionLine, isTransaction, linesOf } from '../recorded/lines.ts';
import type { LogRead } from './log.ts';

/** The transaction numbers in a recording and the transactions that they belong to. */
export interface Survey {
  readonly claimed: ReadonlySet<number>;
  /** Maps the number of a subtransaction to the number of its transaction; other numbers stay unchanged. */
  readonly topOf: (xmin: number) => number;
  /** Numbers of subtransactions that may belong to several transactions, or to an uncommitted one. */
  readonly unclear: ReadonlySet<number>;
  /** Numbers of unknown writers. */
  readonly strange: ReadonlySet<number>;
  /** Lines of transactions of unknown outcome that no later line resolves. */
  readonly unfinished: ReadonlySet<number>;
}

export interface Surveyed {
  readonly log: LogRead;
  /** Whether a version existed when the recording began. */
  readonly isInitial: (xmin: number) => boolean;
  readonly isComplete: (table: string) => boolean;
}

export async function survey(path: string, surveyed: Surveyed): Promise<Survey> {
  const { log, isInitial } = surveyed;
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
  const unclear = strange.size > 0 ? await match(path, strange, surveyed, tops) : new Set<number>();
  for (const xmin of tops.keys()) strange.delete(xmin);
  return { claimed, topOf: (xmin) => tops.get(xmin) ?? xmin, unclear, strange, unfinished };
}

const SESSION = /^\{"(?:outcome":"\w+",")?session":("(?:[^"\\]|\\.)*")/;
const XIDS = /"xids":\[([\d,]+)\]/;

function* xminsIn(text: string): Generator<number> {
  for (const [, xmin] of text.matchAll(/"xmin":(\d+)/g)) yield Number(xmin);
}

type Version = readonly [table: string, key: unknown, row: { readonly xmin: number }];

/**
 * Finds the transactions of subtransactions that were not recorded: the transaction must have written every row that
 * was read from the subtransaction. Returns subtransactions with several candidates.
 */
async function match(
  path: string,
  strange: ReadonlySet<number>,
  { log: { entries }, isComplete }: Surveyed,
  tops: Map<number, number>,
): Promise<Set<number>> {
  const sightings = await sightingsOf(path, strange);
  const wanted = new Set([...sightings.values()].flatMap((seen) => seen.map(({ text }) => text)));
  const finals = new Map<string, Set<number>>();
  const all = new Map<string, Set<number>>();
  const places = new Set([...sightings.values()].flatMap((seen) => seen.map(({ place }) => place)));
  const writersOfRows = new Map<string, Set<number>>(); // for each row, the writers of any of its versions
  const note = (writers: Map<string, Set<number>>, text: string, xid: number): void => {
    if (wanted.has(text)) writers.set(text, (writers.get(text) ?? new Set()).add(xid));
  };
  for (const { xid, puts } of entries) {
    const last = new Map(puts.map((put, i) => [placeOf(put[0], put[1]), i]));
    for (const [i, [table, key, row]] of puts.entries()) {
      if (row === null) continue;
      const place = placeOf(table, key);
      if (places.has(place)) writersOfRows.set(place, (writersOfRows.get(place) ?? new Set()).add(xid));
      const text = withoutWriter([table, key, row as Version[2]]);
      note(all, text, xid);
      if (last.get(place) === i) note(finals, text, xid);
    }
  }
  const unclear = new Set<number>();
  for (const [xmin, seen] of sightings) {
    const mayHaveWritten = (xid: number): boolean =>
      seen.every(({ text, reader }) => (reader === xid ? all : finals).get(text)?.has(xid) === true);
    // A subtransaction has a higher number than its transaction.
    const candidates = new Set(seen.flatMap(({ text }) => [...(all.get(text) ?? [])]));
    const possible = [...candidates].filter((xid) => isBefore(xid, xmin) && mayHaveWritten(xid));
    if (possible.length === 1) tops.set(xmin, possible[0]!);
    // The log has nothing about uncommitted transactions: only the transaction itself can have read such a version. A
    // redefined table has different columns in the log: any transaction that wrote the row may have written the
    // version.
    else if (
      possible.length > 1 ||
      seen.some(
        ({ table, place }) =>
          isComplete(table) || [...(writersOfRows.get(place) ?? [])].some((xid) => isBefore(xid, xmin)),
      )
    )
      unclear.add(xmin);
  }
  return unclear;
}

/** A version that was read, with its reader but without its writer. */
interface Sighting {
  readonly table: string;
  readonly place: string;
  readonly text: string;
  readonly reader: number | undefined;
}

async function sightingsOf(path: string, strange: ReadonlySet<number>): Promise<Map<number, Sighting[]>> {
  const sightings = new Map<number, Sighting[]>();
  for await (const [, text] of linesOf(path)) {
    if (!isTransaction(text) || ![...xminsIn(text)].some((xmin) => strange.has(xmin))) continue;
    const { ops, steps, xids } = JSON.parse(text) as Omit<TransactionLine, 'ops'> & {
      ops: (readonly [string, ...Version])[];
    };
    // A line without statements has only a version, which is not from its own transaction.
    if (steps === undefined) continue;
    for (const [kind, ...version] of ops) {
      const xmin = version[2]?.xmin;
      if (kind !== 'get' || xmin === undefined || !strange.has(xmin)) continue;
      sightings.set(xmin, [
        ...(sightings.get(xmin) ?? []),
        { table: version[0], place: placeOf(version[0], version[1]), text: withoutWriter(version), reader: xids?.[0] },
      ]);
    }
  }
  return sightings;
}

const placeOf = (table: string, key: unknown): string => JSON.stringify([table, key]);

/** Transaction numbers wrap around after about four billion. */
const isBefore = (xid: number, other: number): boolean => ((xid - other) | 0) < 0;

const withoutWriter = ([table, key, row]: Version): string => JSON.stringify([table, key, { ...row, xmin: 0 }]);
