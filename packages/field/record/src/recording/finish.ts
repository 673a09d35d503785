import { setTimeout as pause } from 'node:timers/promises';
import type { Asking } from './asking.ts';
import type { Definitions } from '../recorded/definitions.ts';
import { type Counters, type Ground, isUndisturbed, readCounters } from './ground.ts';
import type { Journal } from '../recorded/journal.ts';
import type { Log, LogRead } from '../log/log.ts';
import { settleByLog } from '../log/settle.ts';
import type { Plans } from './plans.ts';
import type { UniqueColumns } from '../judgement/dangers.ts';
import type { Recording } from './recording.ts';
import type { Refused } from './refusals.ts';
import { scansOnly, settle } from '../recorded/settle.ts';
import { readCatalog } from '../sql/catalog.ts';
import type { ShapeCount } from './tally.ts';
import { Tuples, takenAgain } from '../recorded/tuples.ts';
import type { Proxy } from '../wire/proxy.ts';

export interface Recorded {
  readonly path: string;
  readonly transactions: number;
  readonly shapes: readonly ShapeCount[];
  /** Transactions that the database refused, and that the application did not try again. */
  readonly refused: readonly Refused[];
  /** Number of versions from outside the proxy whose writers are unknown. */
  readonly outsiders: number;
  /**
   * Tables without records of the rows that conditions excluded: the tables are large, or another client changed them.
   */
  readonly withoutScans: readonly string[];
  /** For each table, the sets of columns on which the database enforces uniqueness. */
  readonly unique: UniqueColumns;
  /** Data from the write-ahead log; null if the log was not read. */
  readonly log: {
    /** Number of transactions that bypassed the proxy. */
    readonly outside: number;
    /** Tables that the log covers only partly, with the reasons. */
    readonly leftOut: Readonly<Record<string, string>>;
  } | null;
}

export interface Running {
  readonly proxy: Proxy;
  readonly recording: Recording;
  readonly journal: Journal;
  readonly asking: Asking;
  readonly ground: Ground;
  readonly definitions: Definitions;
  readonly plans: Plans;
  readonly options: {
    readonly path: string;
    readonly onProblem?: (problem: string) => void;
    readonly onWritten?: () => Promise<void>;
  };
  readonly log: Log | null;
}

const COUNTED_WITHIN_MS = 3_000;

export async function finish(running: Running): Promise<Recorded> {
  const { proxy, recording, journal, asking, ground, definitions, plans, options, log } = running;
  await proxy.close();
  const { outsiders, transactions, openXids } = recording.finish();
  journal.close();
  await options.onWritten?.();
  const read = log && (await log.finish(openXids, options.onProblem ?? (() => {})));
  await readCatalog(asking.askAgain, (name) => !ground.partial.has(name), plans.catalog.xid !== null).then(
    (catalog) => definitions.update(catalog),
    () => {},
  );
  const { redefined, replaced, followed } = definitions;
  const reasons = reasonsOf(definitions, read);
  const inLog = new Set(read ? followed.filter(({ name }) => !reasons.has(name)).map(({ name }) => name) : []);
  const counted = followed
    .map(({ name }) => name)
    .filter((name) => !ground.partial.has(name) && !inLog.has(name) && !replaced.has(name));
  const counters = await countersOnceStill(running, counted);
  await asking.end();
  const { tally } = recording;
  const isKnown = (table: string): boolean =>
    !redefined.has(table) &&
    !replaced.has(table) &&
    !definitions.keyed.has(table) &&
    !ground.partial.has(table) &&
    (inLog.has(table) || isUndisturbed(table, ground, counters, tally.changesOf(table)));
  const told = new Set(read ? followed.filter(({ notInLog }) => notInLog === null).map(({ name }) => name) : []);
  const again = await takenAgain(options.path, (table) => told.has(table));
  const untold = new Tuples(again, new Set());
  // An update of an unknown version of a row does not show which version exists.
  const isFollowed = (table: string): boolean =>
    isKnown(table) && !(untold.hasAnyOf(table) && tally.hasUpdatedUnknown(table));
  const withoutScans = followed.map(({ name }) => name).filter((name) => !isFollowed(name));
  const unique = new Map([...plans.catalog.tables.values()].map((table) => [table.name, table.unique]));
  const refused = recording.refusals.left(recording.redaction.shape);
  const result = { path: options.path, transactions, shapes: tally.shapes, refused, withoutScans, unique };
  if (!read) {
    const lines = scansOnly({ isUndisturbed: isFollowed, redefined, tuples: untold });
    const misread = await settle(options.path, lines, new Set([...redefined.keys(), ...replaced]));
    tellMisread(misread, options);
    return { ...result, outsiders, log: null };
  }
  const fromLog = await settleByLog(options.path, {
    log: read,
    tuples: new Tuples(new Set([...read.takenAgain, ...again]), replaced),
    redefined,
    replaced,
    isInitial: ground.isInitial,
    isInLog: (table) => told.has(table),
    isComplete: (table) => inLog.has(table),
    isUndisturbed: isKnown,
    defersTriggers: plans.catalog.defersTriggers,
  });
  tellMisread(fromLog.misread, options);
  if (fromLog.strangers > 0)
    options.onProblem?.(`the log lacks ${fromLog.strangers} of the versions that statements returned`);
  const leftOut = Object.fromEntries(reasons);
  return { ...result, outsiders: fromLog.outsiders, log: { outside: fromLog.outside, leftOut } };
}

function tellMisread(misread: number, { onProblem }: Running['options']): void {
  if (misread > 0)
    onProblem?.(
      `${misread} ${misread === 1 ? 'condition was' : 'conditions were'} misread: the returned rows contradict the condition, so only these rows are used`,
    );
}

/** Returns the reasons why the log lacks changes of some tables. */
function reasonsOf({ followed, redefined, replaced }: Definitions, log: LogRead | null): Map<string, string> {
  const reasons = new Map(log?.leftOut);
  for (const { name, notInLog } of followed)
    if (notInLog !== null) reasons.set(name, notInLog);
    else if (!reasons.has(name) && (redefined.has(name) || replaced.has(name)))
      reasons.set(name, 'it was redefined or rewritten');
  return reasons;
}

/** The server updates the counters only when a connection ends. */
async function countersOnceStill(running: Running, tables: readonly string[]): Promise<Counters> {
  const { asking, plans, ground, recording } = running;
  const none: Counters = new Map();
  const until = Date.now() + COUNTED_WITHIN_MS;
  for (;;) {
    const counters = await readCounters(asking.askAgain, plans.catalog).catch(() => none);
    const isStill = (table: string): boolean =>
      isUndisturbed(table, ground, counters, recording.tally.changesOf(table));
    if (counters.size === 0 || tables.every(isStill) || Date.now() >= until) return counters;
    await pause(100);
  }
}
