import {
  type History,
  type NamedRows,
  OpKind,
  type OperationId,
  countOperations,
  countTransactions,
  registersOf,
  toRegisters,
} from '@isolab/history';
import { type Certified, type LevelName, definitionOf, findLevel, userDefinition } from '@isolab/contract';
import { AggregateRows } from './aggregate-rows.ts';
import { verifyAggregates } from './aggregates.ts';
import { coverageOf, coverageOfEvidence } from './coverage.ts';
import { verifyFailedExchanges, withFailedAsReads } from './failed-exchanges.ts';
import { integerOf, objectOf, refuse, show } from './verdict/flaw.ts';
import { happenedAtMost } from './inspection.ts';
import { type Rules, ordersEvents, rulesOf } from './facts/rules.ts';
import { asEvents, verifyScans } from './scans.ts';
import { StatedRows } from './stated-rows.ts';
import { type Allowances, type Coverage, type Verification, verificationOf } from './verdict/verification.ts';
import { prove } from './verify.ts';

/** Verifies whether a parsed file proves its verdict about a history, which is lowered to registers first. */
export function verifyCertificateFile(history: History, json: unknown, allowed: Allowances = {}): Verification {
  return verificationOf(() => {
    const { level, verdict, ...evidence } = readHeader(history, json);
    return coverageOfVerdict(history, level, verdict, evidence, allowed);
  });
}

/** Verifies whether a certificate proves a verdict about an original history, which is lowered to registers first. */
export function verifyEvidence(
  history: History,
  level: LevelName,
  verdict: Certified['verdict'],
  evidence: GivenEvidence,
  allowed: Allowances = {},
): Verification {
  return verificationOf(() => coverageOfVerdict(history, level, verdict, evidence, allowed));
}

type GivenEvidence = Pick<Certified, 'certificate' | 'passedOver'>;

function coverageOfVerdict(
  history: History,
  level: LevelName,
  verdict: Certified['verdict'],
  evidence: GivenEvidence,
  allowed: Allowances,
): Coverage {
  if (verdict === 'satisfied') return verifySatisfied(history, level, evidence, allowed);
  const { certificate, passedOver } = evidence;
  const { kind } = objectOf(certificate, 'the certificate');
  if (kind === 'aggregates') verifyAggregates(history, level, certificate);
  else prove(lower(history, level, passedOver), level, 'violated', certificate);
  return coverageOfEvidence(String(kind), allowed);
}

function verifySatisfied(
  history: History,
  level: LevelName,
  { certificate, passedOver }: GivenEvidence,
  allowed: Allowances,
): Coverage {
  const { rows: data } = objectOf(certificate, 'the certificate');
  const rules = rulesOf(level);
  if (passedOver !== undefined)
    refuse('the field passedOver is only for the verdict violated, at a level with built-in rules');
  const isByKey = rules?.axiom === 'serial-by-key';
  if (isByKey && history.opKind.includes(OpKind.Scan))
    refuse(`scans read many rows, but ${level} is about operations on one key`);
  const events = eventsOf(rules, certificate);
  const knowsFailed = isByKey && certificate.kind === 'commit-order';
  const rows = new AggregateRows(history, MOST_SUMS);
  const stated = data === undefined ? null : new StatedRows(history, rows, data);
  const { history: lowered, undecidedAggregates } = toRegisters(
    knowsFailed ? withFailedAsReads(history) : history,
    events === null ? null : NO_ROWS,
  );
  prove(stated?.history ?? lowered, level, 'satisfied', certificate);
  const happened = happenedBy(history, certificate);
  stated?.refuseOthers(happened);
  if (events !== null) verifyScans(history, events());
  if (knowsFailed) verifyFailedExchanges(history, certificate.order);
  const undecided = new Set(undecidedAggregates);
  const knowsRowsOf = (op: OperationId): boolean =>
    events !== null || stated?.has(op) === true || !undecided.has(history.opValue[op]);
  return coverageOf({ history, level, happened, knowsRowsOf, knowsFailed }, rows, allowed);
}

/**
 * Returns the verified begins and commits of a certificate of `satisfied` that states the versions that each
 * transaction sees, for the check of passed-over rows; otherwise null.
 */
function eventsOf(rules: Rules | null, certificate: Certified['certificate']): (() => Iterable<number>) | null {
  if (rules === null) return null;
  if (certificate.kind === 'event-order' && ordersEvents(rules)) return () => certificate.events;
  if (certificate.kind === 'commit-order' && rules.axiom === 'serial') return () => asEvents(certificate.order);
  return null;
}

const MOST_SUMS = 20_000_000;
const NO_ROWS: ReadonlyMap<number, readonly number[]> = new Map();

/** 1 for the transactions that happened according to a verified certificate of `satisfied`. */
function happenedBy(history: History, certificate: Certified['certificate']): Uint8Array {
  const happened = new Uint8Array(history.txnStatus.length);
  switch (certificate.kind) {
    case 'commit-order':
      for (const t of certificate.order) happened[t] = 1;
      return happened;
    case 'event-order':
      for (const event of certificate.events) happened[event >> 1] = 1;
      return happened;
    case 'inspection':
    case 'version-orders':
      if (certificate.happened === undefined) return happenedAtMost(toRegisters(history).history);
      for (const t of certificate.happened) happened[t] = 1;
      return happened;
    case 'each-key':
      return happenedBy(history, certificate.all);
    default:
      return happenedAtMost(toRegisters(history).history);
  }
}

function lower(history: History, level: LevelName, passedOver: unknown): History {
  if (passedOver === undefined) return toRegisters(history).history;
  // Without some reads, these levels are easier to satisfy, but a user-defined level may not be.
  if (rulesOf(level) === null)
    refuse('the field passedOver is only for the verdict violated, at a level with built-in rules');
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
    return refuse(
      `the field passedOver has ${show(entry)}, expected the number of a scan with a list of names of rows`,
    );
  });
}

function readHeader(history: History, json: unknown): Certified {
  const file = objectOf(json, 'the file');
  const { level, checker, verdict } = file;
  if (file['isolab'] !== 'certificate') refuse(`the field isolab is ${show(file['isolab'])}, expected "certificate"`);
  if (file['version'] !== 1) refuse(`the version is ${show(file['version'])}, expected 1`);
  if (typeof level !== 'string' || definitionOf(level) === null)
    return refuse(`${show(level)} is not a known level; for a user-defined level, name its file with --level`);
  const name = userDefinition(level)?.name ?? findLevel(level)?.level.name;
  if (name !== level) refuse(`the level is ${show(level)}, expected its name, ${show(name)}`);
  if (typeof checker !== 'string') refuse(`the checker is ${show(checker)}, expected a name`);
  if (verdict !== 'satisfied' && verdict !== 'violated')
    return refuse(`the verdict is ${show(verdict)}, expected "satisfied" or "violated"`);
  const counts = objectOf(file['history'], 'the field history');
  compareCount(counts['transactions'], countTransactions(history), 'transactions');
  compareCount(counts['operations'], countOperations(history), 'operations');
  // Only the kind of the certificate is checked here; the verifier checks the rest.
  const certificate = objectOf(file['certificate'], 'the certificate') as unknown as Certified['certificate'];
  const passedOver = file['passedOver'] as NamedRows | undefined;
  return { level: level as LevelName, checker, verdict, certificate, passedOver };
}

function compareCount(data: unknown, actual: number, what: string): void {
  const count = integerOf(data, 0, Number.MAX_SAFE_INTEGER, `the number of ${what}`);
  if (count !== actual)
    refuse(`the certificate belongs to a history of ${count} ${what}, but this history has ${actual}`);
}
