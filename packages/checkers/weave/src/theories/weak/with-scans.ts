import {
  type CheckerVerdict,
  INITIAL_TXN,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  indexed,
} from '@isolab/contract';
import {
  type History,
  OpKind,
  Outcome,
  ReadFrom,
  type ReadFromIndex,
  type RegisterHistory,
  TxnStatus,
  countKeys,
  mayHaveHappened,
  passesOverMore,
  toRegisters,
  transactionOf,
} from '@isolab/history';
import { type Sight, VisibleScans } from '../rows/visible-scans.ts';
import { placesIn } from '../../rounds/passed-over.ts';
import { certifying } from '../../problem/contexts.ts';
import { addAll, unlessOpen } from '../rows/scans.ts';
import type { Decided } from '../../rounds/search-with-scans.ts';
import type { Tuning } from '../../problem/tuning.ts';
import { gatherFacts } from './edges/facts.ts';
import { lastWriteOf } from './sources/versions.ts';
import { type Visibility, canSee, visibilityOf } from './edges/visibility.ts';
import { checkWeakLevel } from './weak.ts';

/**
 * Decides a weak level of a history whose scans read only the rows that matter (see SearchWithScans): a passed-over row
 * matters if its latest visible version would match. Null if this does not decide the level.
 */
export function decideWeakWithScans(
  withScans: History,
  level: LevelName,
  tuning: Tuning,
  context: RunContext,
): Decided | null {
  const inner = certifying(context);
  // Where repeated reads of a key do not count, a read of another row version by the transaction's scan may make them
  // count.
  const asked = level === 'read-committed' ? 'read-committed-dbcop' : level;
  const passedOver = new Map<number, number[]>();
  const scans = new VisibleScans(withScans);
  const isNamed = context.certify && !passesOverMore(withScans, tuning.mostSources);
  for (;;) {
    const numbered = toRegisters(withScans, passedOver);
    const input = indexed(numbered.history);
    const found = checkWeakLevel(input, asked, tuning, inner);
    if (found.status === 'unknown') return null;
    if (found.status === 'violated') {
      const verdict = asked === level ? found : checkWeakLevel(input, level, tuning, inner);
      return verdict.status === 'violated' ? { verdict, numbered, passedOver } : null;
    }
    const chosen = chosenIn(found, input);
    const sight = sightOf(numbered, chosen.index, asked, tuning);
    if (sight === null) return null;
    const seen = new SeenVersions();
    const overlooked = scans.overlooked(
      chosen.order,
      passedOver,
      sight,
      isNamed ? (scan, row, writer) => seen.add(scan, row, writer) : undefined,
    );
    context.tick(input.history.opKind.length);
    context.count('rows-overlooked', overlooked.length);
    if (overlooked.length > 0 && addAll(passedOver, overlooked)) continue;
    if (overlooked.length > 0) return null;
    const satisfied: CheckerVerdict = isNamed
      ? certified(withScans, numbered, chosen, seen)
      : { status: 'satisfied', uncertified: 'size' };
    const verdict = unlessOpen(satisfied, withScans, numbered.undecidedAggregates, mayHaveHappened(chosen.index));
    return { verdict, numbered, passedOver };
  }
}

/**
 * Decides cut isolation. When a scan passes over a row, the row did not match, in agreement with every other scan that
 * passed over it. Such reads are compared only where a transaction also learned that the row matched, from an aggregate
 * or from a row that was returned without its version. Null if the outcome of a transaction is unknown, because it may
 * depend on the passed-over version.
 */
export function decideCutIsolation(withScans: History, tuning: Tuning, context: RunContext): Decided | null {
  if (withScans.txnStatus.includes(TxnStatus.Unknown)) return null;
  const passedOver = comparedRows(withScans);
  const numbered = toRegisters(withScans, passedOver);
  const inner = { ...certifying(context), findAll: context.findAll };
  const input = indexed(numbered.history);
  const found = checkWeakLevel(input, 'cut-isolation', tuning, inner);
  const verdict =
    found.status === 'satisfied' ? unlessOpen(found, withScans, numbered.undecidedAggregates, () => true) : found;
  return { verdict, numbered, passedOver };
}

/** Returns, by scan, rows that the transaction of the scan learned to match some condition. */
function comparedRows(withScans: History): Map<number, number[]> {
  const { history, items } = toRegisters(withScans, new Map());
  const { txnStart, opKind, opKey } = history;
  const { keyTable, table } = withScans.scans;
  const numKeys = countKeys(withScans);
  const compared = new Map<number, number[]>();
  for (let t = 0; t + 1 < txnStart.length; t++) {
    const rows = new Set<number>();
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      // Without passed-over rows, an item that is read has matched.
      if (opKind[op] === OpKind.Read && opKey[op]! >= numKeys) rows.add(items[opKey[op]! - numKeys]!.row);
    }
    if (rows.size === 0) continue;
    for (let op = withScans.txnStart[t]!; op < withScans.txnStart[t + 1]!; op++) {
      if (withScans.opKind[op] !== OpKind.Scan) continue;
      const scan = withScans.opValue[op]!;
      const ofTable = [...rows].filter((row) => keyTable[row] === table[scan]);
      if (ofTable.length > 0) compared.set(scan, ofTable);
    }
  }
  return compared;
}

/** An order, and an index with the writer that every read saw. */
interface Chosen {
  readonly order: readonly number[];
  readonly index: ReadFromIndex;
}

function chosenIn(
  { certificate }: Extract<CheckerVerdict, { status: 'satisfied' }>,
  { history, index }: IndexedHistory,
): Chosen {
  if (certificate?.kind !== 'commit-order')
    throw new Error(`A weak level was satisfied with the certificate ${certificate?.kind}, expected an order.`);
  const readFrom = index.readFrom.slice();
  for (const [read, writer] of certificate.sources ?? [])
    readFrom[read] = writer === INITIAL_TXN ? ReadFrom.Initial : lastWriteOf(history, writer, history.opKey[read]!);
  const outcome = new Uint8Array(index.outcome.length).fill(Outcome.Left);
  for (const t of certificate.order) outcome[t] = Outcome.Happened;
  return { order: certificate.order, index: { ...index, readFrom, outcome } };
}

/** Versions that a level makes visible to a scan, at each row that it reads by itself or passes over. */
export class ScansSight implements Sight {
  readonly #numbered: RegisterHistory;
  readonly #visibility: Visibility;
  #place = 0; // next operation of the reader

  constructor(numbered: RegisterHistory, visibility: Visibility) {
    this.#numbered = numbered;
    this.#visibility = visibility;
  }

  enter(t: number): void {
    this.#visibility.enter(t);
    this.#place = this.#numbered.history.txnStart[t]!;
  }

  beginScan(op: number): void {
    while (this.#numbered.opOf[this.#place]! < op) this.#place++;
  }

  readRow(): void {
    this.#place++;
  }

  isVisible(t: number): boolean {
    return this.#visibility.isVisible(t, this.#place);
  }
}

function sightOf(numbered: RegisterHistory, index: ReadFromIndex, level: LevelName, tuning: Tuning): Sight | null {
  // Any earlier version is acceptable, and the initial version always exists.
  if (level === 'read-committed-pl2') return { enter() {}, beginScan() {}, readRow() {}, isVisible: () => false };
  const facts = gatherFacts(numbered.history, index);
  return canSee(facts, level, tuning) ? new ScansSight(numbered, visibilityOf(facts, level)) : null;
}

/** Writers of the versions that a scan saw of each row that it passed over. */
class SeenVersions {
  readonly #writers = new Map<number, Map<number, number>>();

  add(scan: number, row: number, writer: number): void {
    const writers = this.#writers.get(scan);
    if (writers === undefined) this.#writers.set(scan, new Map([[row, writer]]));
    else writers.set(row, writer);
  }

  writerOf(scan: number, row: number): number {
    return this.#writers.get(scan)!.get(row)!;
  }
}

/** Returns the order, with the writer of every ambiguous read of the whole history. */
function certified(
  withScans: History,
  numbered: RegisterHistory,
  { order, index }: Chosen,
  seen: SeenVersions,
): Extract<CheckerVerdict, { status: 'satisfied' }> {
  const whole = toRegisters(withScans);
  const { history, index: wholeIndex } = indexed(whole.history);
  const numberedOf = new Int32Array(whole.opOf.length).fill(-1);
  placesIn(whole, numbered).forEach((place, op) => (numberedOf[place] = op));
  const sourceOf = (op: number): number => {
    const known = numberedOf[op]!;
    if (known >= 0)
      return index.readFrom[known]! < 0 ? INITIAL_TXN : transactionOf(numbered.history, index.readFrom[known]!);
    const { row } = whole.items[history.opKey[op]! - countKeys(withScans)]!;
    return seen.writerOf(withScans.opValue[whole.opOf[op]!]!, row);
  };
  const sources: [number, number][] = [];
  for (const t of order)
    for (let op = history.txnStart[t]!; op < history.txnStart[t + 1]!; op++)
      if (wholeIndex.readFrom[op] === ReadFrom.Ambiguous) sources.push([op, sourceOf(op)]);
  return { status: 'satisfied', certificate: { kind: 'commit-order', order, sources } };
}
