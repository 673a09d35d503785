import type { LogPut } from './entries.ts';
import type { RecordedStep } from './lines.ts';

/** An operation of a line: `["get","accounts",1,{…}]`. */
export type Operation = readonly unknown[];

export interface LogStep {
  readonly shape: number;
  operations: readonly Operation[];
  readonly mayWriteUnseen: boolean;
  /** The scan, as long as the operations are certain to be all rows that it found. */
  scan: Scan | null;
  readonly locks?: RecordedStep[3];
  /** Writes that the statement's results did not show. */
  more: Operation[];
}

/** `["doctors",CONDITION]`; with null and a key, the row did not exist. */
export type Scan = readonly [table: string, where: unknown, key?: string | number];

interface Placed {
  readonly step: number;
  readonly operation: number;
}

export interface Placing {
  /** Whether deferred triggers may write at COMMIT. */
  readonly defersTriggers: boolean;
  /** Whether the log has changes of a table, and whether it has all of the table's changes. */
  readonly isInLog: (table: string) => boolean;
  readonly isComplete: (table: string) => boolean;
}

/**
 * Places a transaction's writes from the log among the operations of its statements: in log order, and each write as
 * late as possible, but before the transaction's first read of it. Scans whose place relative to the writes is unknown
 * are replaced by the rows that they found. Returns the number of versions that the log does not have.
 */
export function place(steps: LogStep[], puts: readonly LogPut[], placing: Placing): number {
  const { defersTriggers } = placing;
  const told = new Set(puts.map(([table, key, row]) => JSON.stringify([table, key, row])));
  for (const step of steps) step.operations = step.operations.filter((_, i) => !isFound(step.operations, i, told));
  const { matches, strangers } = matched(steps, puts, placing);
  const inserted = new Map<string, Operation[]>();
  let from: Placed | null = null;
  for (let k = 0; k < puts.length;) {
    const match = matches[k];
    if (match) {
      from = match;
      k++;
      continue;
    }
    let end = k;
    while (end < puts.length && !matches[end]) end++;
    placeRun(steps, puts.slice(k, end), {
      from,
      to: matches[end] ?? null,
      isLast: end === puts.length && defersTriggers,
      inserted,
    });
    k = end;
  }
  for (const [i, step] of steps.entries())
    step.operations = step.operations.flatMap((operation, j) => [...(inserted.get(`${i} ${j}`) ?? []), operation]);
  return strangers;
}

/**
 * Returns whether an operation is a version that the transaction found as its own. Such a version is listed before its
 * read, and the log has it.
 */
function isFound(operations: readonly Operation[], i: number, told: ReadonlySet<string>): boolean {
  const [kind] = operations[i]!;
  const text = textOf(operations[i]!);
  const next = operations[i + 1];
  return kind === 'put' && next?.[0] === 'get' && textOf(next) === text && told.has(text);
}

const placeOf = ([, table, key]: Operation): string => JSON.stringify([table, key]);
const textOf = ([, table, key, row]: Operation): string => JSON.stringify([table, key, row]);

/**
 * Matches puts in the log with operations. An operation that the log does not have is a stranger. Own versions that the
 * transaction read were written before that read.
 */
function matched(
  steps: readonly LogStep[],
  puts: readonly LogPut[],
  { isInLog, isComplete }: Placing,
): { readonly matches: readonly (Placed | undefined)[]; readonly strangers: number } {
  const matches: (Placed | undefined)[] = Array.from({ length: puts.length });
  const texts = puts.map(([table, key, row]) => JSON.stringify([table, key, row]));
  const known = new Set(texts);
  const own = new Map<string, string>(); // for each row, its last version
  let next = 0;
  let strangers = 0;
  for (const [i, { operations }] of steps.entries())
    for (const [j, operation] of operations.entries()) {
      const isPut = operation[0] === 'put';
      const text = textOf(operation);
      if (!isInLog(operation[1] as string) || (!isPut && own.get(placeOf(operation)) === text)) continue;
      const k = known.has(text) ? texts.indexOf(text, next) : -1;
      if (k >= 0) {
        own.set(placeOf(operation), text);
        next = k + 1;
        if (isPut) matches[k] = { step: i, operation: j };
      } else if (isPut) strangers += Number(isComplete(operation[1] as string));
    }
  return { matches, strangers };
}

interface Between {
  readonly from: Placed | null;
  readonly to: Placed | null;
  /** Whether the write may have happened at COMMIT. */
  readonly isLast: boolean;
  readonly inserted: Map<string, Operation[]>;
}

/** Places writes between two versions that are already placed. */
function placeRun(steps: LogStep[], run: readonly LogPut[], { from, to, isLast, inserted }: Between): void {
  const operations = run.map(([table, key, row]) => ['put', table, key, row] as const);
  const first = from?.step ?? 0;
  const last = to?.step ?? steps.length - 1;
  const range = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const writing = range.filter((i) => steps[i]!.mayWriteUnseen);
  const candidates = first === last || writing.length === 0 ? range : writing;
  const [earliest, latest] = [candidates[0]!, isLast ? steps.length - 1 : candidates.at(-1)!];
  let placed = 0;
  // Statements after the earliest possible place may have seen some of the writes.
  for (let i = earliest + 1; i <= latest; i++) {
    const step = steps[i]!;
    const seen = seenBy(step, operations, placed);
    if (seen === null) {
      step.scan = null;
      step.operations = step.operations.filter((read) => !operations.some((write) => placeOf(write) === placeOf(read)));
    } else if (seen > placed) {
      const before = candidates.findLast((candidate) => candidate < i)!;
      steps[before]!.more.push(...operations.slice(placed, seen));
      placed = seen;
    }
    const rest = operations.slice(placed);
    if (step.scan && rest.some(([, table]) => table === step.scan![0])) step.scan = null;
  }
  const rest = operations.slice(placed);
  if (rest.length === 0) return;
  if (to && latest === to.step) {
    const at = `${to.step} ${to.operation}`;
    inserted.set(at, [...(inserted.get(at) ?? []), ...rest]);
  } else steps[latest]!.more.push(...rest);
}

/**
 * Finds how many of the writes a statement saw: the lowest number, at least `start`, that gives each row the version
 * that the statement read; null if there is no such number.
 */
function seenBy({ operations }: LogStep, writes: readonly Operation[], start: number): number | null {
  const own = new Set(writes.map(textOf));
  const read = new Map(
    operations
      .filter(([kind]) => kind === 'get')
      .map((get) => [placeOf(get), own.has(textOf(get)) ? textOf(get) : null]),
  );
  const rows = new Map<string, string>();
  const isRight = (): boolean =>
    [...read].every(([row, version]) => (version === null ? !rows.has(row) : rows.get(row) === version));
  for (const write of writes.slice(0, start)) rows.set(placeOf(write), textOf(write));
  for (let seen = start; seen <= writes.length; seen++) {
    if (isRight()) return seen;
    if (seen < writes.length) rows.set(placeOf(writes[seen]!), textOf(writes[seen]!));
  }
  return null;
}
