import {
  type History,
  type NamedRows,
  OpKind,
  countOperations,
  countTransactions,
  registersOf,
  toRegisters,
} from '@isolab/history';
import { type Certified, type LevelName, definitionOf } from '@isolab/contract';
import { verifyAggregates } from './aggregates.ts';
import { integerOf, objectOf, refuse, show } from './flaw.ts';
import { ordersEvents, rulesOf } from './rules.ts';
import { asEvents, verifyScans } from './scans.ts';
import { type Verification, verification, verifyCertificate } from './verify.ts';

/** Whether a parsed file proves its verdict about `history` as it was read; it is lowered to registers here. */
export function verifyCertificateFile(history: History, json: unknown): Verification {
  let file: Certified | null = null;
  const header = verification(() => {
    file = readHeader(history, json);
  });
  if (!header.ok) return header;
  const { level, verdict, ...evidence } = file as unknown as Certified;
  return verifyEvidence(history, level, verdict, evidence);
}

/** Whether a certificate proves a verdict about a history as it was read; it is lowered to registers here. */
export function verifyEvidence(
  history: History,
  level: LevelName,
  verdict: Certified['verdict'],
  { certificate, passedOver }: Pick<Certified, 'certificate' | 'passedOver'>,
): Verification {
  if (verdict === 'violated' && certificate?.kind === 'aggregates')
    return verification(() => verifyAggregates(history, level, certificate));
  if (verdict === 'satisfied' && rulesOf(level)?.axiom === 'serial-by-key' && history.opKind.includes(OpKind.Scan))
    return verification(() => refuse(`scans read many rows, but ${level} is about operations on one key`));
  const events = eventsOf(level, verdict, certificate);
  let lowered = history;
  const problem = verification(() => {
    const readsNone = events !== null && passedOver === undefined;
    lowered = readsNone ? toRegisters(history, NO_ROWS).history : lower(history, level, verdict, passedOver);
  });
  if (!problem.ok) return problem;
  const verified = verifyCertificate(lowered, level, verdict, certificate);
  return verified.ok && events !== null ? verification(() => verifyScans(history, events())) : verified;
}

/**
 * The begins and commits of a certificate of `satisfied` that says which state each transaction sees, once it has been
 * verified; null of any other. What scans passed over is then looked up there, and need not become reads.
 */
function eventsOf(
  level: LevelName,
  verdict: Certified['verdict'],
  certificate: Certified['certificate'],
): (() => Iterable<number>) | null {
  const rules = rulesOf(level);
  if (rules === null || verdict !== 'satisfied') return null;
  if (certificate?.kind === 'event-order' && ordersEvents(rules)) return () => certificate.events;
  if (certificate?.kind === 'commit-order' && rules.axiom === 'serial') return () => asEvents(certificate.order);
  return null;
}

const NO_ROWS: ReadonlyMap<number, readonly number[]> = new Map();

function lower(history: History, level: LevelName, verdict: Certified['verdict'], passedOver: unknown): History {
  if (passedOver === undefined) return toRegisters(history).history;
  // Whoever leaves reads out makes these levels easier to satisfy, but perhaps not one of a user's own.
  if (verdict !== 'violated' || rulesOf(level) === null)
    refuse('the field passedOver is for the verdict violated, at a level that isolab has rules for');
  try {
    return registersOf(history, { passedOver: readPassedOver(passedOver) }).history;
  } catch (error) {
    if (error instanceof RangeError) refuse(`in the field passedOver, ${error.message}`);
    throw error;
  }
}

function readPassedOver(data: unknown): NamedRows {
  if (!Array.isArray(data)) return refuse(`the field passedOver is ${show(data)}, expected a list`);
  return data.map((entry: unknown): NamedRows[number] => {
    const [scan, rows] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof scan === 'number' && Array.isArray(rows) && rows.every((row) => typeof row === 'string'))
      return [scan, rows];
    return refuse(`the field passedOver has ${show(entry)}, expected the number of a scan with the names of rows`);
  });
}

function readHeader(history: History, json: unknown): Certified {
  const file = objectOf(json, 'the file');
  const { level, checker, verdict } = file;
  if (file['isolab'] !== 'certificate') refuse(`the field isolab is ${show(file['isolab'])}, expected "certificate"`);
  if (file['version'] !== 1) refuse(`the version is ${show(file['version'])}, expected 1`);
  if (typeof level !== 'string' || definitionOf(level) === null)
    refuse(`${show(level)} is not a level; of one that a user defined, name the file with --level`);
  if (typeof checker !== 'string') refuse(`the checker is ${show(checker)}, expected a name`);
  if (verdict !== 'satisfied' && verdict !== 'violated')
    return refuse(`the verdict is ${show(verdict)}, expected "satisfied" or "violated"`);
  const counts = objectOf(file['history'], 'the field history');
  compareCount(counts['transactions'], countTransactions(history), 'transactions');
  compareCount(counts['operations'], countOperations(history), 'operations');
  // Only its kind is looked at before the verifier does so with all of it.
  const certificate = objectOf(file['certificate'], 'the certificate') as unknown as Certified['certificate'];
  const passedOver = file['passedOver'] as NamedRows | undefined;
  return { level: level as LevelName, checker, verdict, certificate, passedOver };
}

function compareCount(data: unknown, actual: number, what: string): void {
  const count = integerOf(data, 0, Number.MAX_SAFE_INTEGER, `the number of ${what}`);
  if (count !== actual) refuse(`the certificate belongs to a history of ${count} ${what}, but this one has ${actual}`);
}
