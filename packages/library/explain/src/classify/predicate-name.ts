import {
  type Edge,
  type FoundAnomaly,
  INTERNAL_ANOMALY_NAMES,
  type LevelName,
  NAMES_OVER_PREDICATES,
} from '@isolab/contract';
import { type History, OpKind } from '@isolab/history';
import type { RowSource } from '../rows/row-view.ts';
import { INITIAL } from './facts.ts';
import { type Decided, decideLevels } from './levels.ts';
import { instances } from './weak.ts';

/**
 * What an anomaly is called where it rests on which rows match a predicate; null if it does not. An anomaly has the
 * numbers of the whole, and `part` and `source` are what it names of it.
 *
 * Most names take a row that was missed by being passed over: without what such reads have missed, the level would hold.
 * PMP takes two scans that disagree about which rows match, and so does a row that the second one passes over because
 * the other transaction deleted it, or changed it.
 */
export function predicateName(
  whole: History,
  part: History,
  source: RowSource,
  level: LevelName,
  decided: Decided | null,
  anomaly: FoundAnomaly | null,
  name: string,
): string | null {
  const isItem = itemKeys(part);
  if (!isItem.includes(1)) return null;
  const isOfReads = name === 'fractured-read' || name === 'non-monotonic-read';
  const rest = decided && decideLevels(part, { without: isItem });
  const isPredicate = rest === null ? usesItem(whole, anomaly) : rest.satisfied.has(level);
  if (isPredicate && name === INTERNAL_ANOMALY_NAMES['non-repeatable-read'].name) return 'PMP';
  if (isPredicate && isOfReads) return (decided && nameByScans(source, decided, isItem)) ?? name;
  if (isPredicate) return NAMES_OVER_PREDICATES.get(name) ?? name;
  return isOfReads && decided !== null && nameByScans(source, decided, isItem) === 'PMP' ? 'PMP' : null;
}

/** Of a transaction that is seen by one scan and missed by another, or by the same one. */
function nameByScans({ history, opOf }: RowSource, { facts, world }: Decided, isItem: Uint8Array): string | null {
  const scanOf = (op: number): number => (history.opKind[opOf[op]] === OpKind.Scan ? opOf[op] : -1);
  for (const { read, first } of [...instances(world, 'read-atomic'), ...instances(world, 'read-committed-dbcop')]) {
    const missed = facts.reads[read];
    const scan = scanOf(missed.op);
    // That a row does not match may be seen of several versions: then it is not certain whom the scan saw, or missed.
    if (first === INITIAL || scan < 0 || missed.from.includes(first)) continue;
    const isOfMatches = isItem[missed.key] === 1;
    const seeing = facts.reads.filter(
      ({ reader, key, op, from }, i) =>
        reader === missed.reader &&
        world.from[i] === first &&
        scanOf(op) >= 0 &&
        (isOfMatches || (isItem[key] === 1 && from.length === 1)),
    );
    if (isOfMatches && seeing.some(({ op }) => scanOf(op) === scan)) return 'G1-predicate';
    if (seeing.some(({ op }) => scanOf(op) !== scan)) return 'PMP';
  }
  return null;
}

/** Whether a cycle, or a single read, rests on such a read. */
function usesItem(history: History, anomaly: FoundAnomaly | null): boolean {
  const isItem = itemKeys(history);
  const isOfItem = (op: number): boolean => isItem[history.opKey[op]] === 1;
  const certificate = anomaly?.certificate;
  if (certificate?.kind === 'internal') return isOfItem(certificate.read);
  if (certificate?.kind !== 'cycle') return false;
  const uses = ({ reason }: Edge): boolean =>
    (reason.kind === 'overwrites' && (isOfItem(reason.read) || reason.order.some(uses))) ||
    (reason.kind === 'overwritten' && (isOfItem(reason.read) || reason.visible.some(uses)));
  return certificate.edges.some(uses);
}

/** Of a lowered history a 1 for each key that says whether a row matches. */
export const itemKeys = ({ rows }: History): Uint8Array =>
  Uint8Array.from(rows?.condition ?? [], (condition) => (condition >= 0 ? 1 : 0));
