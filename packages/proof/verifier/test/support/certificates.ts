import type { History } from '@isolab/history';
import type {
  CasesCertificate,
  CycleCertificate,
  Edge,
  EventOrderCertificate,
  CommitOrderCertificate,
  InternalCertificate,
  LevelName,
  ListsCertificate,
  OrderChoice,
  ProofCertificate,
  ProofChoice,
  ProofStep,
  ReadChoice,
  ReadsCertificate,
  Reason,
} from '@isolab/contract';
import { type ProofOutcome, verifyCertificate } from '../../src/index.ts';

// Short names, so that a certificate fits on a line.

export const commits = (...order: number[]): CommitOrderCertificate => ({ kind: 'commit-order', order });

/** Events by name: `b0 c0 b1 c1`. */
export const events = (names: string): EventOrderCertificate => ({
  kind: 'event-order',
  events: names.split(' ').map((name) => 2 * Number(name.slice(1)) + (name.startsWith('c') ? 1 : 0)),
});

export const cycle = (...edges: Edge[]): CycleCertificate => ({ kind: 'cycle', edges });

export const internal = (anomaly: string, read: number, other = -1): InternalCertificate => ({
  kind: 'internal',
  anomaly,
  read,
  other,
});

export const lists = (anomaly: ListsCertificate['anomaly'], read: number, other: number): ListsCertificate => ({
  kind: 'lists',
  anomaly,
  read,
  other,
});

export const cases = (
  first: number,
  second: number,
  key: number,
  ifFirst: ReadsCertificate,
  ifSecond: ReadsCertificate,
): CasesCertificate => ({ kind: 'cases', first, second, key, ifFirst, ifSecond });

export const proof = (choices: readonly ProofChoice[], ...steps: ProofStep[]): ProofCertificate => ({
  kind: 'proof',
  choices,
  steps,
});
export const choice = (first: number, second: number, key: number): OrderChoice => ({ first, second, key });
export const saw = (read: number, writer: number): ReadChoice => ({ read, writer });
export const candidates = (read: number, ...clause: number[]): ProofStep => ({ kind: 'candidates', clause, read });
export const impossible = (clause: readonly number[], anomaly: string, read: number, other = -1): ProofStep => ({
  kind: 'internal',
  clause,
  anomaly,
  read,
  other,
});
export const learned = (...clause: number[]): ProofStep => ({ kind: 'learned', clause });
export const never = (clause: readonly number[], ...edges: Edge[]): ProofStep => ({ kind: 'cycle', clause, edges });

const edge = (from: number, to: number, reason: Reason): Edge => ({ from, to, reason });
export const so = (from: number, to: number): Edge => edge(from, to, { kind: 'session' });
export const init = (to: number): Edge => edge(-1, to, { kind: 'initial' });
export const wr = (from: number, to: number, read: number): Edge => edge(from, to, { kind: 'read-from', read });
export const awr = (from: number, to: number, read: number): Edge => edge(from, to, { kind: 'assumed-read', read });
export const version = (from: number, to: number, read: number): Edge => edge(from, to, { kind: 'version', read });
export const rt = (from: number, to: number): Edge => edge(from, to, { kind: 'real-time' });
export const assumed = (from: number, to: number): Edge => edge(from, to, { kind: 'assumed' });
export const ww = (from: number, to: number, write: number, read: number, ...visible: Edge[]): Edge =>
  edge(from, to, { kind: 'overwritten', write, read, visible });
export const rw = (from: number, to: number, read: number, write: number, ...order: Edge[]): Edge =>
  edge(from, to, { kind: 'overwrites', read, write, order });

/** The problem of a certificate, for any data; null if there is none. */
export function problemOf(
  history: History,
  level: LevelName,
  verdict: 'satisfied' | 'violated',
  certificate: unknown,
): string | null {
  const result: ProofOutcome = verifyCertificate(history, level, verdict, certificate as CycleCertificate);
  return result.ok ? null : result.problem;
}
