/**
 * The weak levels of a history with scans, by orders of the reads. A row that a scan passed over becomes a read if its
 * latest visible version would match.
 */
import {
  type CheckerVerdict,
  INITIAL_TXN,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  type SatisfiedVerdict,
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
import { certifying } from '../problem/contexts.ts';
import type { Tuning } from '../problem/tuning.ts';
import { concluded, outcomeOf, placesIn } from '../proof/numbers.ts';
import { unlessOpen } from '../theories/rows/scans.ts';
import { VisibleScans } from '../theories/rows/visible-scans.ts';
import { sightOf } from '../theories/weak/sight.ts';
import { lastWriteOf } from '../theories/weak/sources/versions.ts';
import { checkWeakLevel } from '../theories/weak/weak.ts';
import { type Proposer, type Theory, decide } from './decide.ts';
import { Reads } from './reads.ts';

/** An order of the transactions that happened, and an index with the writer that every read saw. */
interface Chosen {
  readonly verdict: SatisfiedVerdict;
  readonly registers: RegisterHistory;
  readonly order: readonly number[];
  readonly index: ReadFromIndex;
}

/** Returns null if the level requires reads of all rows that scans passed over. */
export function checkWeakWithScans(
  withScans: History,
  level: LevelName,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict | null {
  const inner = certifying(context);
  // Where repeated reads of a key do not count, a read of another row version by the transaction's scan may make them
  // count.
  const asked = level === 'read-committed' ? 'read-committed-dbcop' : level;
  const reads = new Reads(withScans, tuning);
  const isNamed = context.certify && !passesOverMore(withScans, tuning.mostSources);
  const seen = new SeenVersions();
  const propose: Proposer<Chosen> = () => {
    const { input, registers } = reads.lowered();
    const verdict = checkWeakLevel(input, asked, tuning, inner);
    if (verdict.status === 'satisfied') return chosenIn(verdict, input, registers);
    const again =
      verdict.status === 'unknown' || asked === level ? verdict : checkWeakLevel(input, level, tuning, inner);
    return again.status === 'violated' ? { verdict: again, registers } : null;
  };
  const scans = new VisibleScans(withScans);
  const check: Theory<Chosen> = ({ registers, order, index }) => {
    const sight = sightOf(registers, index, asked, tuning);
    if (sight === null) return null;
    seen.clear();
    const onPassed = isNamed ? seen.add.bind(seen) : undefined;
    const overlooked = scans.overlooked(order, reads.passedOver!, sight, onPassed);
    context.tick(registers.opOf.length);
    context.count('rows-overlooked', overlooked.length);
    if (overlooked.length === 0) return 'accepted';
    return reads.add(overlooked) ? 'added' : null;
  };
  const decided = decide(reads, propose, check);
  if (decided === null) return null;
  const scope = { withScans, passedOver: reads.passedOver, most: tuning.mostPassedOver };
  if (!('order' in decided)) return concluded([decided], context.certify, scope);
  const satisfied = isNamed
    ? certified(withScans, decided, seen)
    : ({ status: 'satisfied', uncertified: 'size' } as const);
  const isPossible = mayHaveHappened(decided.index);
  const verdict = unlessOpen(satisfied, withScans, decided.registers.undecidedAggregates, isPossible);
  return concluded([outcomeOf(verdict, decided.registers)], context.certify, scope);
}

/**
 * Decides cut isolation. When a scan passes over a row, the row did not match, in agreement with every other scan that
 * passed over it. Such reads are compared only where a transaction also learned that the row matched, from an aggregate
 * or from a row that was returned without its version. Null if the outcome of a transaction is unknown, because it may
 * depend on the passed-over version.
 */
export function checkCutIsolationWithScans(
  withScans: History,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict | null {
  if (withScans.txnStatus.includes(TxnStatus.Unknown)) return null;
  const passedOver = comparedRows(withScans);
  const registers = toRegisters(withScans, passedOver);
  const inner = { ...certifying(context), findAll: context.findAll };
  const found = checkWeakLevel(indexed(registers.history), 'cut-isolation', tuning, inner);
  const verdict =
    found.status === 'satisfied' ? unlessOpen(found, withScans, registers.undecidedAggregates, () => true) : found;
  const scope = { withScans, passedOver, most: tuning.mostPassedOver };
  return concluded([outcomeOf(verdict, registers)], context.certify, scope);
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

function chosenIn(verdict: SatisfiedVerdict, { history, index }: IndexedHistory, registers: RegisterHistory): Chosen {
  const { certificate } = verdict;
  if (certificate?.kind !== 'commit-order')
    throw new Error(`A weak level was satisfied with the certificate ${certificate?.kind}, expected an order.`);
  const readFrom = index.readFrom.slice();
  for (const [read, writer] of certificate.sources ?? [])
    readFrom[read] = writer === INITIAL_TXN ? ReadFrom.Initial : lastWriteOf(history, writer, history.opKey[read]!);
  const outcome = new Uint8Array(index.outcome.length).fill(Outcome.Left);
  for (const t of certificate.order) outcome[t] = Outcome.Happened;
  return { verdict, registers, order: certificate.order, index: { ...index, readFrom, outcome } };
}

/** Writers of the versions that a scan saw of each row that it passed over. */
class SeenVersions {
  readonly #writers = new Map<number, Map<number, number>>();

  clear(): void {
    this.#writers.clear();
  }

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
function certified(withScans: History, { registers, order, index }: Chosen, seen: SeenVersions): SatisfiedVerdict {
  const whole = toRegisters(withScans);
  const { history, index: wholeIndex } = indexed(whole.history);
  const placeOf = placesIn(registers, whole);
  const sourceOf = (op: number): number => {
    const place = placeOf(op);
    const write = index.readFrom[place]!;
    if (place >= 0) return write < 0 ? INITIAL_TXN : transactionOf(registers.history, write);
    const { row } = whole.items[history.opKey[op]! - countKeys(withScans)]!;
    return seen.writerOf(withScans.opValue[whole.opOf[op]!]!, row);
  };
  const sources: [number, number][] = [];
  for (const t of order)
    for (let op = history.txnStart[t]!; op < history.txnStart[t + 1]!; op++)
      if (wholeIndex.readFrom[op] === ReadFrom.Ambiguous) sources.push([op, sourceOf(op)]);
  return { status: 'satisfied', certificate: { kind: 'commit-order', order, sources } };
}
