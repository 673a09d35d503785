import type { AxiomsCertificate, FoundAnomaly, ViolationCertificate } from '@isolab/contract';
import type { History } from '@isolab/history';
import type { Part } from '../shrink/part.ts';
import { type Numbers, axiomsIn } from './renumber-walks.ts';

/** Converts an anomaly of a part to the numbers of the whole history. */
export function inWhole(part: Part, whole: History, anomaly: FoundAnomaly): FoundAnomaly {
  const keyOf = new Map<number, number>();
  for (let op = 0; op < part.opOf.length; op++) keyOf.set(part.history.opKey[op], whole.opKey[part.opOf[op]]);
  const numbers: Numbers = {
    txn: (t) => (t < 0 ? t : part.txnOf[t]),
    op: (op) => (op < 0 ? op : part.opOf[op]),
    key: (key) => keyOf.get(key) ?? key,
  };
  const { certificate } = anomaly;
  return {
    ...anomaly,
    transactions: anomaly.transactions.map(numbers.txn),
    ...(certificate && { certificate: inNumbers(numbers, certificate) as ViolationCertificate }),
  };
}

/** The kind of number in each field of certificates. Proofs from axioms use some of the field names differently. */
const NUMBERED: Readonly<Record<string, keyof Numbers>> = {
  transaction: 'txn',
  from: 'txn',
  to: 'txn',
  first: 'txn',
  second: 'txn',
  writer: 'txn',
  read: 'op',
  reads: 'op',
  write: 'op',
  writes: 'op',
  other: 'op',
  key: 'key',
};

/** Keeps the aggregates of a certificate, which refer to the original history; `whole` is its lowered form. */
function inNumbers(numbers: Numbers, data: unknown, field = ''): unknown {
  const kind = NUMBERED[field];
  if (typeof data === 'number') return kind === undefined ? data : numbers[kind](data);
  if (Array.isArray(data)) return data.map((item: unknown) => inNumbers(numbers, item, field));
  if (typeof data !== 'object' || data === null) return data;
  if ('kind' in data && data.kind === 'axioms') return axiomsIn(numbers, data as AxiomsCertificate);
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, inNumbers(numbers, value, name)]));
}
