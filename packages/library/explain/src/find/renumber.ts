import { type AxiomsCertificate, type FoundAnomaly, type Numbering, renumber } from '@isolab/contract';
import type { History } from '@isolab/history';
import type { Part } from '../shrink/part.ts';
import { axiomsIn } from './renumber-walks.ts';

/** Converts an anomaly of a part to the numbers of the whole history. */
export function inWhole(part: Part, whole: History, anomaly: FoundAnomaly): FoundAnomaly {
  const keyOf = new Map<number, number>();
  for (let op = 0; op < part.opOf.length; op++) keyOf.set(part.history.opKey[op], whole.opKey[part.opOf[op]]);
  const numbers: Numbering = {
    txn: (t) => (t < 0 ? t : part.txnOf[t]),
    op: (op) => (op < 0 ? op : part.opOf[op]),
    key: (key) => keyOf.get(key) ?? key,
  };
  const { certificate } = anomaly;
  return {
    ...anomaly,
    transactions: anomaly.transactions.map(numbers.txn),
    ...(certificate && { certificate: renumber(certificate, numbers, axiomsOf(numbers)) }),
  };
}

/** Proofs from axioms use some names of fields differently. */
const axiomsOf = (numbers: Numbering) => (part: object) =>
  'kind' in part && part.kind === 'axioms' ? axiomsIn(numbers, part as AxiomsCertificate) : null;
