import {
  type AnomalyName,
  type Edge,
  type FoundAnomaly,
  INTERNAL_ANOMALY_NAMES,
  type LevelName,
  NAMES_OVER_PREDICATES,
} from '@isolab/contract';
import { type History, OpKind, type OperationId } from '@isolab/history';
import type { RowSource } from '../rows/row-view.ts';
import { INITIAL } from './facts.ts';
import { type Decided, decideLevels } from './levels.ts';
import { instances } from './weak.ts';

/**
 * Returns the name of an anomaly that depends on which rows match a predicate; null for other anomalies. The anomaly
 * uses the transaction numbers of the whole history. `part` and `source` are the part of the history that it names.
 * Most names require a scan that missed a row: the level would hold without the writes that the scan missed. PMP
 * requires two scans that disagree about the matching rows. They disagree, for instance, if the second scan passes over
 * a row because the other transaction deleted or changed it.
 */
export function predicateName(
  whole: History,
  part: History,
  source: RowSource,
  level: LevelName,
  decided: Decided | null,
  anomaly: FoundAnomaly | null,
  name: AnomalyName,
): AnomalyName | null {
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

/** Names an anomaly in which one scan sees a transaction, and another scan or the same scan misses it. */
function nameByScans({ history, opOf }: RowSource, { facts, world }: Decided, isItem: Uint8Array): AnomalyName | null {
  const scanOf = (op: OperationId): number => (history.opKind[opOf[op]] === OpKind.Scan ? opOf[op] : -1);
  for (const { read, first } of [...instances(world, 'read-atomic'), ...instances(world, 'read-committed-dbcop')]) {
    const missed = facts.reads[read];
    const scan = scanOf(missed.op);
    // Several versions may show that a row does not match. In that case it is uncertain which writer the scan saw or
    // missed.
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

/** Returns whether a cycle, or a single read, depends on whether a row matches a predicate. */
function usesItem(history: History, anomaly: FoundAnomaly | null): boolean {
  const isItem = itemKeys(history);
  const isOfItem = (op: OperationId): boolean => isItem[history.opKey[op]] === 1;
  const certificate = anomaly?.certificate;
  if (certificate?.kind === 'internal') return isOfItem(certificate.read);
  if (certificate?.kind !== 'cycle') return false;
  const uses = ({ reason }: Edge): boolean =>
    (reason.kind === 'overwrites' && (isOfItem(reason.read) || reason.order.some(uses))) ||
    (reason.kind === 'overwritten' && (isOfItem(reason.read) || reason.visible.some(uses)));
  return certificate.edges.some(uses);
}

/** For each key of a lowered history, 1 if the key represents whether a row matches. */
export const itemKeys = ({ rows }: History): Uint8Array =>
  Uint8Array.from(rows?.condition ?? [], (condition) => (condition >= 0 ? 1 : 0));
