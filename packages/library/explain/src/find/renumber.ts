import type {
  Edge,
  FoundAnomaly,
  ProofChoice,
  ProofStep,
  ReadsCertificate,
  Reason,
  RowCases,
  TimestampsCertificate,
  ViolationCertificate,
} from '@isolab/contract';
import type { History } from '@isolab/history';
import type { Part } from '../shrink/part.ts';
import { type Numbers, axiomsIn } from './renumber-walks.ts';

/** Converts an anomaly of a part to the numbers of the whole. */
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
    ...(certificate && { certificate: certificateIn(numbers, certificate) }),
  };
}

function timestampsIn({ txn, op }: Numbers, certificate: TimestampsCertificate): TimestampsCertificate {
  switch (certificate.axiom) {
    case 'EXT':
      return { ...certificate, read: op(certificate.read) };
    case 'NOCONFLICT':
      return { ...certificate, writes: [op(certificate.writes[0]), op(certificate.writes[1])] };
    case 'SESSION':
      return { ...certificate, first: txn(certificate.first), second: txn(certificate.second) };
    case 'ORDER':
      return { ...certificate, transaction: txn(certificate.transaction) };
  }
}

/** The aggregates are those of the history as it was read; the whole is its lowered form. */
function rowCasesIn(numbers: Numbers, cases: RowCases): RowCases {
  if (cases.kind === 'total') return cases;
  if (cases.kind !== 'rows') return readsIn(numbers, cases);
  const alternatives = cases.alternatives.map(({ read, matched, cases: rest }) => ({
    read: numbers.op(read),
    matched,
    cases: rowCasesIn(numbers, rest),
  }));
  return { kind: 'rows', alternatives };
}

const certificateIn = (numbers: Numbers, certificate: ViolationCertificate): ViolationCertificate =>
  certificate.kind === 'aggregates'
    ? { ...certificate, cases: rowCasesIn(numbers, certificate.cases) }
    : readsIn(numbers, certificate);

function readsIn(numbers: Numbers, certificate: ReadsCertificate): ReadsCertificate {
  const { txn, op, key } = numbers;
  switch (certificate.kind) {
    case 'internal':
    case 'lists':
      return { ...certificate, read: op(certificate.read), other: op(certificate.other) };
    case 'timestamps':
      return timestampsIn(numbers, certificate);
    case 'updates':
      return { ...certificate, reads: certificate.reads.map(op) };
    case 'cycle':
      return { ...certificate, edges: edgesIn(numbers, certificate.edges) };
    case 'cases':
      return {
        ...certificate,
        first: txn(certificate.first),
        second: txn(certificate.second),
        key: key(certificate.key),
        ifFirst: readsIn(numbers, certificate.ifFirst),
        ifSecond: readsIn(numbers, certificate.ifSecond),
      };
    case 'axioms':
      return axiomsIn(numbers, certificate);
    case 'proof':
      return {
        ...certificate,
        choices: certificate.choices.map((choice) => choiceIn(numbers, choice)),
        steps: certificate.steps.map((step) => stepIn(numbers, step)),
      };
  }
}

const choiceIn = ({ txn, op, key }: Numbers, choice: ProofChoice): ProofChoice =>
  'read' in choice
    ? { read: op(choice.read), writer: txn(choice.writer) }
    : { first: txn(choice.first), second: txn(choice.second), key: key(choice.key) };

function stepIn(numbers: Numbers, step: ProofStep): ProofStep {
  const { op } = numbers;
  if (step.kind === 'cycle') return { ...step, edges: edgesIn(numbers, step.edges) };
  if (step.kind === 'candidates') return { ...step, read: op(step.read) };
  if (step.kind === 'internal') return { ...step, read: op(step.read), other: op(step.other) };
  return step;
}

const edgesIn = (numbers: Numbers, edges: readonly Edge[]): Edge[] =>
  edges.map(({ from, to, reason }) => ({
    from: numbers.txn(from),
    to: numbers.txn(to),
    reason: reasonIn(numbers, reason),
  }));

function reasonIn(numbers: Numbers, reason: Reason): Reason {
  const { op } = numbers;
  switch (reason.kind) {
    case 'read-from':
    case 'assumed-read':
    case 'version':
      return { ...reason, read: op(reason.read) };
    case 'overwritten':
      return { ...reason, write: op(reason.write), read: op(reason.read), visible: edgesIn(numbers, reason.visible) };
    case 'overwrites':
      return { ...reason, write: op(reason.write), read: op(reason.read), order: edgesIn(numbers, reason.order) };
    default:
      return reason;
  }
}
