import type {
  AxiomsCertificate,
  Edge,
  ProofChoice,
  ProofStep,
  ReadsCertificate,
  Reason,
  TimestampsCertificate,
  ViolationCertificate,
} from '@isolab/contract';

/** Transactions and operations that the numbers of a certificate refer to. */
export interface Renumbering {
  readonly txnOf: Int32Array;
  readonly opOf: Int32Array;
}

/** Replaces the numbers of a certificate by the transactions and operations that they refer to. Keys are unchanged. */
export const renumber = (certificate: ViolationCertificate, numbers: Renumbering): ViolationCertificate =>
  certificate.kind === 'aggregates' ? certificate : renumberReads(certificate, numbers);

export const renumberReads = (certificate: ReadsCertificate, numbers: Renumbering): ReadsCertificate =>
  // weave never passes such a certificate
  certificate.kind === 'timestamps' || certificate.kind === 'axioms' ? certificate : renumbered(certificate, numbers);

type Other = Exclude<ReadsCertificate, TimestampsCertificate | AxiomsCertificate>;

function renumbered(certificate: Other, numbers: Renumbering): ReadsCertificate {
  const txn = (t: number): number => (t < 0 ? t : numbers.txnOf[t]);
  const op = (o: number): number => (o < 0 ? o : numbers.opOf[o]);
  const known = new Map<Edge, Edge>(); // edges may be shared
  const edge = (one: Edge): Edge => {
    let found = known.get(one);
    if (found === undefined)
      known.set(one, (found = { from: txn(one.from), to: txn(one.to), reason: reason(one.reason) }));
    return found;
  };
  const reason = (one: Reason): Reason => {
    switch (one.kind) {
      case 'read-from':
      case 'assumed-read':
      case 'version':
        return { ...one, read: op(one.read) };
      case 'overwritten':
        return { ...one, read: op(one.read), write: op(one.write), visible: one.visible.map(edge) };
      case 'overwrites':
        return { ...one, read: op(one.read), write: op(one.write), order: one.order.map(edge) };
      default:
        return one;
    }
  };
  const choice = (one: ProofChoice): ProofChoice =>
    'read' in one
      ? { read: op(one.read), writer: txn(one.writer) }
      : { ...one, first: txn(one.first), second: txn(one.second) };
  const step = (one: ProofStep): ProofStep => {
    switch (one.kind) {
      case 'cycle':
        return { ...one, edges: one.edges.map(edge) };
      case 'candidates':
        return { ...one, read: op(one.read) };
      case 'internal':
        return { ...one, read: op(one.read), other: op(one.other) };
      default:
        return one;
    }
  };
  switch (certificate.kind) {
    case 'updates':
      return { ...certificate, reads: certificate.reads.map(op) };
    case 'cycle':
      return { ...certificate, edges: certificate.edges.map(edge) };
    case 'proof':
      return { ...certificate, choices: certificate.choices.map(choice), steps: certificate.steps.map(step) };
    case 'cases':
      return {
        ...certificate,
        first: txn(certificate.first),
        second: txn(certificate.second),
        ifFirst: renumberReads(certificate.ifFirst, numbers),
        ifSecond: renumberReads(certificate.ifSecond, numbers),
      };
    default:
      return { ...certificate, read: op(certificate.read), other: op(certificate.other) };
  }
}
