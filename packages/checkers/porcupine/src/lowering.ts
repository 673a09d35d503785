import type { FoundAnomaly } from '@isolab/contract';
import { type History, OpKind, toRegisters } from '@isolab/history';

/** Maps operations to the reads and writes of the lowered history, to which certificates refer. */
export interface Lowering {
  read(op: number): number;
  write(op: number): number;
}

export function loweringOf(history: History): Lowering {
  if (!history.opKind.some((kind) => kind >= OpKind.CompareAndSet)) return { read: (op) => op, write: (op) => op };
  let lowered: { readonly history: History; readonly of: Map<number, number> } | null = null;
  const first = (op: number): number => {
    if (lowered === null) {
      const { history: registers, opOf } = toRegisters(history);
      const of = new Map<number, number>();
      for (let i = opOf.length - 1; i >= 0; i--) of.set(opOf[i], i);
      lowered = { history: registers, of };
    }
    return lowered.of.get(op)!;
  };
  return {
    read: first,
    // An exchange was lowered to a read followed by a write.
    write: (op) => first(op) + (history.opKind[op] >= OpKind.CompareAndSet ? 1 : 0),
  };
}

/** Converts an anomaly of a single read, and its certificate, to the lowered history. */
export function inLowered(anomaly: FoundAnomaly, { read, write }: Lowering): FoundAnomaly {
  const { certificate } = anomaly;
  if (certificate?.kind !== 'internal') return anomaly;
  const other = certificate.other < 0 ? -1 : write(certificate.other);
  return { ...anomaly, certificate: { ...certificate, read: read(certificate.read), other } };
}
