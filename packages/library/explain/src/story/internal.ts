import type { InternalCertificate, ListsCertificate, UpdatesCertificate } from '@isolab/contract';
import {
  type History,
  type InternalAnomalyName,
  OpKind,
  type OperationId,
  buildReadFrom,
  transactionOf,
  capitalised,
} from '@isolab/history';
import type { StorySentence } from '@isolab/story';
import type { EdgeList } from './edge-list.ts';
import type { Names } from './names.ts';

/** Explains an anomaly that one or two operations prove on their own. */
export function tellInternal(names: Names, list: EdgeList, certificate: InternalCertificate): StorySentence[] {
  const { read, other } = certificate;
  const { history } = names;
  const reader = transactionOf(history, read);
  const writer = other < 0 ? reader : transactionOf(history, other);
  if (other >= 0) list.operations.set(other, 'write');
  list.operations.set(read, 'read');
  list.cast([writer, reader]);
  for (const t of [writer, reader]) names.txn(t);
  const edges = certificate.anomaly === 'thin-air-read' ? [] : showSources(names, list, certificate, reader);
  const operations = [read, ...(other < 0 ? [] : [other])].map((op) => names.opId(op));
  const first = `${capitalised(names.txn(reader))} ${list.reasons.reads(read)}.`;
  return [
    { text: first, edges, operations: [names.opId(read)] },
    { text: INTERNAL[certificate.anomaly as InternalAnomalyName](names, list, certificate), edges, operations },
  ];
}

/** Draws the writer of each read from another transaction. */
function showSources(
  { history }: Names,
  list: EdgeList,
  { read, other }: InternalCertificate,
  reader: number,
): string[] {
  const reads = [read, other].filter((op) => op >= 0 && READS.has(history.opKind[op]));
  return reads.flatMap((op) => {
    const writer = sourceOf(history, op);
    if (writer === null || writer === reader) return [];
    return [
      list.add(
        { from: writer, to: reader, reason: { kind: 'read-from', read: op } },
        op === read ? 'cycle' : 'reason',
        null,
      ),
    ];
  });
}

const READS: ReadonlySet<number> = new Set([OpKind.Read, OpKind.ListRead]);

type Tell = (names: Names, list: EdgeList, certificate: InternalCertificate) => string;

const writerOf = (names: Names, op: OperationId): string => capitalised(names.txn(transactionOf(names.history, op)));

const isListRead = ({ history }: Names, read: OperationId): boolean => history.opKind[read] === OpKind.ListRead;

const INTERNAL: Readonly<Record<InternalAnomalyName, Tell>> = {
  'thin-air-read': (names, _, { read }) =>
    names.rows(read)
      ? 'No transaction in the history leaves the row in that state.'
      : isListRead(names, read)
        ? 'No transaction in the history appends one of these elements.'
        : 'No transaction in the history writes that value.',
  'aborted-read': (names, list, { other }) =>
    `${writerOf(names, other)} ${list.reasons.writes(other)}, but it aborted, so no other transaction may see that value.`,
  'future-read': (_, list, { other }) =>
    `The same transaction ${list.reasons.writes(other)} only later: it saw its own future write.`,
  'not-my-own-write': (_, list, { other }) =>
    `The same transaction ${list.reasons.writes(other)} earlier, but the read misses it.`,
  'not-my-last-write': (_, list, { other }) =>
    `Before that read, the same transaction ${list.reasons.writes(other)}; the read returns one of its older writes.`,
  'intermediate-read': (names, list, { read, other }) => {
    const more = isListRead(names, read) ? 'appends more' : 'overwrites it';
    const seen = isListRead(names, read) ? 'list' : 'value';
    return `${writerOf(names, other)} ${list.reasons.writes(other)}, but ${more} before it commits, so no other transaction may see that ${seen}.`;
  },
  'non-repeatable-read': (names, list, { other, read }) => {
    const from = sourceOf(names.history, read);
    const seen = from === null ? '' : `, which ${names.txn(from)} wrote`;
    return `Earlier it ${list.reasons.reads(other)}, and it does not write the ${names.rows(read) ? 'row' : 'key'} in between: the second read returns another version${seen}.`;
  },
};

function sourceOf(history: History, read: OperationId): number | null {
  const write = buildReadFrom(history).readFrom[read];
  return write < 0 ? null : transactionOf(history, write);
}

/** Explains lists that no order of the appends is compatible with. */
export function tellLists(names: Names, list: EdgeList, { anomaly, read, other }: ListsCertificate): StorySentence[] {
  const { history } = names;
  const [a, b] = [transactionOf(history, read), transactionOf(history, other)];
  list.operations.set(read, 'read');
  list.operations.set(other, history.opKind[other] === history.opKind[read] ? 'read' : 'write');
  list.cast([a, b]);
  const operations = [names.opId(read), names.opId(other)];
  const first = `${capitalised(names.txn(a))} ${list.reasons.reads(read)}.`;
  const isRead = list.operations.get(other) === 'read';
  const second =
    anomaly === 'duplicate-elements'
      ? `That list contains the element that ${names.txn(b)} appends (${names.opPlace(other)}) more often than it was appended.`
      : isRead
        ? `${capitalised(names.txn(b))} ${list.reasons.reads(other)}. Neither list is a prefix of the other, so no order of the appends explains both.`
        : `${capitalised(names.txn(b))} ${list.reasons.writes(other)}, and that list separates the elements that it appends in one transaction.`;
  return [
    { text: first, edges: [], operations: [names.opId(read)] },
    { text: second, edges: [], operations },
  ];
}

/** Explains that too many transactions read and overwrite the same value. A few of them represent all. */
export function tellUpdates(names: Names, list: EdgeList, { reads }: UpdatesCertificate): StorySentence[] {
  const shown = reads.slice(0, SHOWN);
  for (const read of shown) list.operations.set(read, 'read');
  list.cast(shown.map((read) => transactionOf(names.history, read)));
  const some = reads.length > SHOWN ? ` (${SHOWN} of them shown)` : '';
  const text = `${reads.length} transactions${some} read ${names.version(reads[0]!)} and overwrite it, but at most ${reads.length - 1} writes can have produced that value. So two of them read the same version, and one of the two does not see the other’s write.`;
  return [{ text, edges: [], operations: shown.map((op) => names.opId(op)) }];
}

const SHOWN = 4;
