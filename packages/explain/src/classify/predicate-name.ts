import {
  type Edge,
  type FoundAnomaly,
  INTERNAL_ANOMALY_NAMES,
  type LevelName,
  NAMES_OVER_PREDICATES,
} from '@isolab/contract';
import { type History, OpKind } from '@isolab/history';
import { itemKeys, itemNamed } from '../rows/item-names.ts';
import type { RowSource } from '../rows/row-view.ts';
import { INITIAL } from './facts.ts';
import { type Decided, decideLevels } from './levels.ts';
import { instances } from './weak.ts';

/**
 * What an anomaly is called where it rests on a row that a scan did not return, or that only matched: without what such
 * reads have missed, the level would hold. Null if it would not. An anomaly has the numbers of the whole, and `part` and
 * `source` are what it names of it.
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
  if (isItem === null) return null;
  const rest = decided && decideLevels(part, { without: isItem });
  const isPredicate = rest === null ? usesItem(whole, anomaly) : rest.satisfied.has(level);
  if (!isPredicate) return null;
  if (name === INTERNAL_ANOMALY_NAMES['non-repeatable-read'].name) return 'PMP';
  if (name === 'fractured-read' || name === 'non-monotonic-read')
    return (decided && nameByScans(source, decided, isItem)) ?? name;
  return NAMES_OVER_PREDICATES.get(name) ?? name;
}

/** Of a transaction that is seen by one scan and missed by another, or by the same one. */
function nameByScans({ history, opOf }: RowSource, { facts, world }: Decided, isItem: Uint8Array): string | null {
  const scanOf = (op: number): number => (history.opKind[opOf[op]] === OpKind.Scan ? opOf[op] : -1);
  for (const { read, first } of [...instances(world, 'read-atomic'), ...instances(world, 'read-committed-dbcop')]) {
    const missed = facts.reads[read];
    if (isItem[missed.key] === 0 || first === INITIAL) continue;
    const seeing = facts.reads.filter(
      ({ reader, op }, i) => reader === missed.reader && world.from[i] === first && scanOf(op) >= 0,
    );
    if (seeing.some(({ op }) => scanOf(op) === scanOf(missed.op))) return 'G1-predicate';
    if (seeing.length > 0) return 'PMP';
  }
  return null;
}

/** Whether a cycle, or a single read, rests on such a read. */
function usesItem(history: History, anomaly: FoundAnomaly | null): boolean {
  const isOfItem = (op: number): boolean => itemNamed(history, history.opKey[op]) !== null;
  const certificate = anomaly?.certificate;
  if (certificate?.kind === 'internal') return isOfItem(certificate.read);
  if (certificate?.kind !== 'cycle') return false;
  const uses = ({ reason }: Edge): boolean =>
    (reason.kind === 'overwrites' && (isOfItem(reason.read) || reason.order.some(uses))) ||
    (reason.kind === 'overwritten' && (isOfItem(reason.read) || reason.visible.some(uses)));
  return certificate.edges.some(uses);
}
