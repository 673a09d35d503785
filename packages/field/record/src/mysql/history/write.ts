import type { Redaction } from '../../recorded/redaction.ts';
import { Tally } from '../../recording/tally.ts';
import type { Recording } from '../recording/recording.ts';
import type { RecordedStep } from '../../recorded/lines.ts';
import type { HeldLock, Step, Transaction } from '../recording/transaction.ts';
import { aligned } from './align.ts';
import { type Operation, type ResolvedStep, Resolver, type Unresolved } from './resolve.ts';
import { BETWEEN, NEVER, type Rows, type Version, type Writer, keyJson, placeOf, versionJson } from './rows.ts';

export interface Written {
  /** Number of recorded transactions with operations. */
  readonly transactions: number;
  /** Number of transactions of other clients. */
  readonly outside: number;
  readonly unresolved: Unresolved;
}

export interface Writing {
  readonly rows: Rows;
  readonly recording: Recording;
  readonly redaction: Redaction;
  /** The name of a table in the file. */
  readonly nameOf: (table: string) => string;
  readonly add: (line: string) => void;
}

/** Writes the lines of a recording after its header. */
export function writeHistory({ rows, recording, redaction, nameOf, add }: Writing): Written {
  const found = aligned(recording, rows.writers);
  const taken = new Set<Writer>();
  for (const { writer, transaction } of found)
    if (writer) {
      taken.add(writer);
      writer.earliest = transaction.committing ?? transaction.begin;
      writer.latest = transaction.end ?? NEVER;
    }
  boundTimes(rows.writers);
  const resolver = new Resolver(rows);
  // innodb_snapshot_isolation ignores updates that leave a row as it was.
  const hasSnapshots = found.some(
    ({ transaction }) => transaction.hasSnapshots && transaction.level === 'repeatable read',
  );
  const unchanged = found.map((each) => (hasSnapshots ? new Map<Step, Version>() : resolver.addUnchanged(each)));
  const resolved = found.map((each, i) => {
    const [same] = unchanged[i]!.values();
    return { each, place: (each.writer ?? same?.writer)?.place ?? null, steps: resolver.resolve(each, unchanged[i]!) };
  });
  resolver.finish();

  const text = (operation: Operation): string => textOf(operation, nameOf, redaction);
  for (const line of initialLines(rows, nameOf, redaction)) add(line);
  const tally = new Tally(redaction.shape);
  let transactions = 0;
  let outside = 0;
  let next = 0;
  const numberOf = (shape: string): number => tally.numberOf(shape);
  const addOthers = (until: number): void => {
    for (; next < rows.writers.length && rows.writers[next]!.number < until; next++) {
      const writer = rows.writers[next]!;
      const operations = taken.has(writer)
        ? []
        : operationsOf(writer).filter(({ version }) => rows.followed(version.row.state.name));
      if (operations.length === 0) continue;
      add(`{"session":"outside ${++outside}","commitTs":${writer.place},"ops":[${operations.map(text).join()}]}\n`);
    }
  };
  resolved.sort((a, b) => compare(endOf(a.each.transaction), endOf(b.each.transaction)));
  for (const { each, place, steps } of resolved) {
    let locks: readonly HeldLock[] = each.transaction.locks;
    const kept = steps.flatMap((step, i) => {
      if (step.operations.length === 0) return [];
      const present = locks.filter((lock) => lock.step <= i);
      locks = locks.filter((lock) => lock.step > i);
      return [{ ...step, taken: present.map(({ name }) => redaction.value?.(name) ?? name) }];
    });
    if (kept.length === 0) continue;
    addOthers(Math.max(each.writer?.number ?? 0, lastRead(kept) + 1));
    for (const { shape } of kept) tally.numberOf(shape);
    transactions++;
    add(lineOf({ ...each, place, steps: kept, newShapes: tally.takeNewShapes(), numberOf, text }));
  }
  addOthers(Infinity);
  return { transactions, outside, unresolved: resolver.unresolved };
}

/** The number of the last transaction whose versions the steps read. */
const lastRead = (steps: readonly ResolvedStep[]): number =>
  Math.max(
    0,
    ...steps.flatMap(({ operations }) =>
      operations.flatMap((operation) =>
        readBy(operation).map(({ writer }) => Math.floor((writer?.place ?? 0) / BETWEEN)),
      ),
    ),
  );

const readBy = (operation: Operation): readonly Version[] =>
  operation.kind === 'scan' ? operation.found : operation.kind === 'get' ? [operation.version] : [];

const endOf = ({ end, committing, begin }: Transaction): bigint => end ?? committing ?? begin;
const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Transactions become visible in the order of the log, which bounds the times of each by those of its neighbours. */
function boundTimes(writers: readonly Writer[]): void {
  let earliest = 0n;
  for (const writer of writers) writer.earliest = earliest = writer.earliest > earliest ? writer.earliest : earliest;
  let latest = NEVER;
  for (const writer of writers.toReversed()) writer.latest = latest = writer.latest < latest ? writer.latest : latest;
}

function operationsOf({ statements }: Writer): { readonly kind: 'get' | 'put'; readonly version: Version }[] {
  const own = new Set<unknown>();
  return statements.flatMap(({ writes }) =>
    writes.flatMap((version) => {
      const isFirst = !own.has(version.row);
      own.add(version.row);
      const put = { kind: 'put', version } as const;
      return isFirst && version.replaces ? [{ kind: 'get', version: version.replaces } as const, put] : [put];
    }),
  );
}

function textOf(operation: Operation, nameOf: (table: string) => string, redaction: Redaction): string {
  switch (operation.kind) {
    case 'get':
    case 'put': {
      const { version } = operation;
      return `["${operation.kind}",${placeOf(version, nameOf(version.row.state.name), redaction)},${versionJson(version, redaction)}]`;
    }
    case 'absent': {
      const { state, key } = operation;
      return `["get",${JSON.stringify(nameOf(state.name))},${keyJson(state, key, 0, redaction)},null]`;
    }
    case 'scan': {
      const { state, where, found } = operation;
      const rows = found.map(
        (version) =>
          `[${keyJson(state, version.row.key, version.incarnation, redaction)},${versionJson(version, redaction)}]`,
      );
      return `["scan",${JSON.stringify(nameOf(state.name))},${JSON.stringify(redaction.condition(where))},[${rows.join()}]]`;
    }
  }
}

function* initialLines(rows: Rows, nameOf: (table: string) => string, redaction: Redaction): Generator<string> {
  let line: string[] = [];
  for (const state of rows.tables.values()) {
    if (!rows.followed(state.name)) continue;
    for (const { versions } of state.rows.values()) {
      const [first] = versions;
      if (!first || first.writer !== null || first.values === null) continue;
      line.push(`[${placeOf(first, nameOf(state.name), redaction)},${versionJson(first, redaction)}]`);
      if (line.length === 100) {
        yield `{"rows":[${line.join()}]}\n`;
        line = [];
      }
    }
  }
  if (line.length > 0) yield `{"rows":[${line.join()}]}\n`;
}

const EXCLUSIVE = 4;

interface Line {
  readonly transaction: Transaction;
  readonly outcome: 'committed' | 'aborted' | 'unknown';
  readonly place: number | null;
  readonly steps: readonly (ResolvedStep & { readonly taken: readonly string[] })[];
  readonly newShapes: readonly (readonly [number, string])[];
  readonly numberOf: (shape: string) => number;
  readonly text: (operation: Operation) => string;
}

function lineOf({ transaction, outcome, place, steps, newShapes, numberOf, text }: Line): string {
  const { session, begin, committing, end, level, isExplicit } = transaction;
  const stepOf = ({ shape, operations, taken }: Line['steps'][number]): RecordedStep => {
    const step = [numberOf(shape), operations.length] as const;
    return taken.length === 0 ? step : [...step, 0, taken.map((name) => [`GET_LOCK ${name}`, EXCLUSIVE])];
  };
  const fields = [
    `"session":${JSON.stringify(session.name)}`,
    ...(outcome === 'committed' ? [] : [`"status":"${outcome}"`]),
    `"begin":${begin}`,
    ...(isExplicit && committing !== null && outcome !== 'aborted' ? [`"committing":${committing}`] : []),
    ...(end === null ? [] : [`"end":${end}`]),
    `"ops":[${steps.flatMap(({ operations }) => operations.map(text)).join()}]`,
    ...(level === 'read uncommitted' ? [] : [`"level":${JSON.stringify(level)}`]),
    `"steps":${JSON.stringify(steps.map(stepOf))}`,
    ...(place === null ? [] : [`"commitTs":${place}`]),
    ...(newShapes.length > 0 ? [`"shapes":${JSON.stringify(newShapes)}`] : []),
  ];
  return `{${fields.join()}}\n`;
}
