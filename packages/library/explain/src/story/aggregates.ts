import type { AggregatesCertificate, FoundAnomaly, LevelName, ReadsCertificate, RowCases } from '@isolab/contract';
import { type History, capitalised, plural, transactionOf } from '@isolab/history';
import type { StorySentence } from '@isolab/story';
import type { EdgeList } from './edge-list.ts';
import type { Names } from './names.ts';

/** A case of a certificate about aggregates, with its assumptions about rows. */
export interface Leaf {
  readonly supposed: ReadonlyMap<number, boolean>;
  /** Proof that the case contradicts the level; null if the case contradicts the result of an aggregate. */
  readonly certificate: ReadsCertificate | null;
}

export function leavesOf(cases: RowCases): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (part: RowCases, supposed: ReadonlyMap<number, boolean>): void => {
    if (part.kind === 'rows') {
      for (const { read, matched, cases: rest } of part.alternatives)
        visit(rest, new Map([...supposed, [read, matched]]));
    } else leaves.push({ supposed, certificate: part.kind === 'total' ? null : part });
  };
  visit(cases, new Map());
  return leaves;
}

/** The history in which aggregates cover the rows that a case supposes. */
function supposing(history: History, { supposed }: Leaf): History {
  if (supposed.size === 0) return history;
  const opValue = history.opValue.slice();
  // The last two values of a lowered history are false and true.
  const isTrue = history.values.type.length - 1;
  for (const [read, isCounted] of supposed) opValue[read] = isCounted ? isTrue : isTrue - 1;
  return { ...history, opValue };
}

/** A case explains nothing if it supposes an impossible version of a row, or if it contradicts a total. */
const isTelling = ({ certificate }: Leaf): boolean => certificate !== null && certificate.kind !== 'internal';

/**
 * Returns the only case that explains an anomaly about aggregates, with its history; null unless there is exactly one
 * such case.
 */
export function soleLeaf(
  history: History,
  anomaly: FoundAnomaly | null,
): { readonly leaf: Leaf; readonly history: History; readonly anomaly: FoundAnomaly } | null {
  if (anomaly?.certificate?.kind !== 'aggregates') return null;
  const telling = leavesOf(anomaly.certificate.cases).filter(isTelling);
  if (telling.length !== 1) return null;
  const [leaf] = telling as [Leaf];
  return { leaf, history: supposing(history, leaf), anomaly: { ...anomaly, certificate: leaf.certificate! } };
}

/** Explains the contradiction of a case in one sentence. */
export type TellCase = (names: Names, level: LevelName, anomaly: FoundAnomaly) => string;

/** Explains why no choice of rows fits the aggregates: each way to obtain their results leads to a contradiction. */
export function tellAggregates(
  names: Names,
  list: EdgeList,
  level: LevelName,
  anomaly: FoundAnomaly,
  certificate: AggregatesCertificate,
  tellCase: TellCase,
): StorySentence[] {
  const leaves = leavesOf(certificate.cases);
  list.cast(anomaly.transactions);
  for (const { supposed } of leaves) for (const read of supposed.keys()) list.operations.set(read, 'read');
  const telling = leaves.filter(isTelling);
  const wrong = (telling.length > 0 ? telling : leaves.filter((leaf) => leaf.certificate !== null)).toSorted(
    (a, b) => a.supposed.size - b.supposed.size,
  );
  const told = wrong.slice(0, CASES_TOLD).map((leaf): StorySentence => {
    const inCase = { ...anomaly, certificate: leaf.certificate! };
    const what = tellCase(names.in(supposing(names.history, leaf)), level, inCase).replace(/\.$/, '');
    return {
      text: `If ${suppositions(names, leaf)}: ${what}.`,
      edges: [],
      operations: [...leaf.supposed.keys()].map((read) => names.opId(read)),
    };
  });
  const more = wrong.length - told.length;
  return [
    ...introduced(names),
    ...(wrong.length < leaves.length ? [{ text: outOfReach(wrong.length), edges: [] }] : []),
    ...told,
    ...(more > 0
      ? [
          {
            text: `${plural(more, 'more case')} ${more === 1 ? 'contradicts' : 'contradict'} the rest in a similar way.`,
            edges: [],
          },
        ]
      : []),
  ];
}

const outOfReach = (others: number): string =>
  others === 0
    ? 'No choice of versions gives that result.'
    : 'Only these cases give that result, and each of them contradicts the rest of the history.';

/** "T3 counts 2 rows of doctors where on_call = true, which no rows explain that it can have seen" */
export function aggregatesSentence(names: Names): string {
  const found = foundBy(names).map(([actor, text]) => `${actor} ${text}`);
  if (found.length === 0) return 'an aggregate covers rows that never existed';
  const what = foundBy(names).every(([, , scan]) => names.view?.readsCounter(scan)) ? 'increments' : 'rows';
  return `${found.join(' and ')}, which no ${what} visible to ${found.length === 1 ? 'it' : 'them'} explain`;
}

/** States how the aggregates obtained their results, if only one way is possible. */
export function tellSole(names: Names, leaf: Leaf): StorySentence[] {
  if (leaf.supposed.size === 0) return [];
  const text = capitalised(`${suppositions(names, leaf)}: no other choice gives that result.`);
  return [{ text, edges: [], operations: [...leaf.supposed.keys()].map((read) => names.opId(read)) }];
}

/** Introduces the aggregates with their results. */
const introduced = (names: Names): StorySentence[] =>
  foundBy(names).map(([actor, found, scan]) => ({
    text: capitalised(
      `${actor} ${found}; the result does not name the ${names.view?.readsCounter(scan) ? 'increments' : 'rows'}.`,
    ),
    edges: [],
    operations: [names.opId(scan)],
  }));

/** Returns the transaction, the result and the first operation of each aggregate, without assumptions. */
function foundBy(names: Names): [actor: string, found: string, scan: number][] {
  const scans = new Set<number>();
  for (let op = 0; op < names.history.opKind.length; op++) if (names.isOpen(op)) scans.add(names.scanOf(op)!);
  return Array.from(scans, (scan) => [
    names.txn(transactionOf(names.history, scan)),
    names.rows(scan)!.found(scan),
    scan,
  ]);
}

/** "T1 counted doctors/1 and not doctors/2, and T2 …" */
function suppositions(names: Names, { supposed }: Leaf): string {
  const byScan = new Map<number, string[]>();
  for (const [read, isCounted] of supposed) {
    const scan = names.scanOf(read) ?? read;
    const row = names.rows(read)?.supposed(read, isCounted) ?? names.key(read);
    byScan.set(scan, [...(byScan.get(scan) ?? []), row]);
  }
  return Array.from(byScan, ([scan, rows]) => {
    const verb = names.rows(scan)?.verbOf(scan) ?? 'counted';
    return `${names.txn(transactionOf(names.history, scan))} ${verb} ${rows.join(' and ')}`;
  }).join(', and ');
}

const CASES_TOLD = 8;
