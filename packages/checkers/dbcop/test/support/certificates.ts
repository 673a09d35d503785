import { type Edge, type FoundAnomaly, INITIAL_TXN, type SatisfiedCertificate, type Verdict } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import { type History, buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { expect } from 'vitest';
import { type DbcopLevel, isSearched } from '../../src/levels.ts';
import { Naive } from './naive.ts';

/** Anomaly names of an exhausted search, which has no proof. */
const EXHAUSTED = ['G-nonadjacent', 'G2-item'];

/**
 * Checks that a verdict has a certificate which proves it, by the verifier that users have. Only that a search found
 * nothing goes without.
 */
export function expectVerified(history: History, level: DbcopLevel, verdict: Verdict): void {
  if (verdict.status === 'unknown') throw new Error(verdict.detail);
  if (verdict.status === 'violated') expect(verdict.anomalies).not.toHaveLength(0);
  const certificates =
    verdict.status === 'satisfied'
      ? [verdict.certificate!]
      : verdict.anomalies.filter((found) => !isExhausted(level, found)).map((found) => found.certificate!);
  for (const certificate of certificates)
    expect(verifyCertificate(history, level, verdict.status, certificate)).toEqual({ ok: true });
}

const isExhausted = (level: DbcopLevel, { name, certificate }: FoundAnomaly): boolean =>
  isSearched(level) && EXHAUSTED.includes(name) && certificate === undefined;

/** Checks the certificate, and compares the verdict with the definitions themselves, which takes a tiny history. */
export function expectCertified(history: History, level: DbcopLevel, verdict: Verdict): void {
  expectVerified(history, level, verdict);
  const naive = new Naive(history);
  if (verdict.status === 'satisfied') {
    expect(naive.isCommitOrder(commitsOf(verdict.certificate), level)).toBe(true);
    return;
  }
  if (verdict.status !== 'violated') throw new Error(verdict.detail);
  for (const anomaly of verdict.anomalies) {
    const { name, certificate, transactions } = anomaly;
    if (isExhausted(level, anomaly) || name === 'lost-update') {
      expect(transactions.length).toBeGreaterThan(1);
      for (const t of transactions) expect(naive.members).toContain(t);
    } else if (certificate?.kind === 'internal') expectInternal(history, certificate.read);
    else if (certificate?.kind === 'cycle') {
      expectCycle(naive, level, certificate.edges);
      for (const { from } of certificate.edges) expect(transactions).toContain(from);
    } else throw new Error(`no proof but ${certificate?.kind}`);
  }
}

function commitsOf(certificate: SatisfiedCertificate | undefined): readonly number[] {
  if (certificate?.kind === 'commit-order') return certificate.order;
  if (certificate?.kind !== 'event-order') throw new Error(`no order but ${certificate?.kind}`);
  return certificate.events.filter((event) => event % 2 === 1).map((event) => event >> 1);
}

function expectInternal(history: History, read: number): void {
  const internal = findInternalAnomalies(history, buildReadFrom(history));
  expect(Array.from({ length: internal.count }, (_, i) => internal.at(i).read)).toContain(read);
}

function expectCycle(naive: Naive, level: DbcopLevel, edges: readonly Edge[]): void {
  expect(edges.length).toBeGreaterThan(1);
  edges.forEach((edge, i) => {
    expect(edge.to).toBe(edges[(i + 1) % edges.length]!.from);
    expectEdge(naive, level, edge);
    // Steps of one session that follow one another are one edge.
    if (edge.reason.kind === 'session') expect(edges[(i + 1) % edges.length]!.reason.kind).not.toBe('session');
  });
}

function expectEdge(naive: Naive, level: DbcopLevel, { from, to, reason }: Edge): void {
  expect(from).not.toBe(to);
  for (const t of [from, to]) expect([INITIAL_TXN, ...naive.members]).toContain(t);
  switch (reason.kind) {
    case 'session':
      expect(naive.inSession(from, to)).toBe(true);
      break;
    case 'initial':
      expect(from).toBe(INITIAL_TXN);
      break;
    case 'read-from': {
      const read = naive.op(reason.read);
      expect([read.txn, naive.sourceOf(read)]).toEqual([to, from]);
      expect(naive.externalReads(to)).toContain(read);
      break;
    }
    case 'overwritten': {
      const read = naive.op(reason.read);
      const write = naive.op(reason.write);
      expect(write).toMatchObject({ kind: 'w', key: read.key, txn: from });
      expect(naive.sourceOf(read)).toBe(to);
      expect(naive.externalReads(read.txn)).toContain(read);
      expect(naive.visible(from, read, isSearched(level) ? 'causal' : level)).toBe(true);
      expectVisible(naive, level, from, read.txn, reason.read, reason.visible);
      break;
    }
    default:
      throw new Error(`no edge at these levels can be ${reason.kind}`);
  }
}

function expectVisible(
  naive: Naive,
  level: DbcopLevel,
  from: number,
  to: number,
  read: number,
  path: readonly Edge[],
): void {
  expect([path[0]?.from, path.at(-1)?.to]).toEqual([from, to]);
  path.forEach((edge, i) => {
    expectEdge(naive, level, edge);
    expect(['session', 'read-from']).toContain(edge.reason.kind);
    if (i > 0) expect(edge.from).toBe(path[i - 1]!.to);
  });
  if (level !== 'causal' && !isSearched(level)) expect(path).toHaveLength(1);
  if (!level.startsWith('read-committed')) return;
  const reason = path[0]!.reason;
  if (reason.kind !== 'read-from') throw new Error(`not an earlier read but ${reason.kind}`);
  expect(reason.read).toBeLessThan(read);
  if (level === 'read-committed') expect(naive.op(reason.read).key).not.toBe(naive.op(read).key);
}
