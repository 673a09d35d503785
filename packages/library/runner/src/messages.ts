/** Checks messages of workers and processes, because a plug-in can write to the same channels. */
import type { Snapshot } from './board.ts';
import type { ErrorText } from './errors.ts';
import type { FromProcess, FromWorker, RunRecord } from './job.ts';
import { type RunOutcome, unknown } from './outcome.ts';
import { inspectVerdict } from './sane-verdict.ts';

/** Reads a message of a worker; null if it is malformed. */
export function readFromWorker(raw: unknown, numTransactions: number): FromWorker | null {
  const message = fieldsOf(raw);
  switch (message?.['kind']) {
    case 'loading':
    case 'started':
      return { kind: message['kind'] };
    case 'stages':
    case 'counters':
      return typeof message['name'] === 'string' ? { kind: message['kind'], name: message['name'] } : null;
    case 'ended': {
      const outcome = readOutcome(message['outcome'], numTransactions);
      return outcome && { kind: 'ended', outcome };
    }
    case 'described':
      return fieldsOf(message['info']) && { kind: 'described', info: message['info'] };
    case 'refused':
      return isErrorText(message['error']) ? { kind: 'refused', error: message['error'] } : null;
    default:
      return null;
  }
}

/** Reads a message of a process; null if it is malformed. */
export function readFromProcess(raw: unknown, numTransactions: number): FromProcess | null {
  const message = fieldsOf(raw);
  switch (message?.['kind']) {
    case 'started':
      return { kind: 'started' };
    case 'snapshot': {
      const { snapshot, cpuMs, peakRssBytes } = message;
      return isSnapshot(snapshot) && isNumber(cpuMs) && isNumber(peakRssBytes)
        ? { kind: 'snapshot', snapshot, cpuMs, peakRssBytes }
        : null;
    }
    case 'ended': {
      const record = readRecord(message['record'], numTransactions);
      return record && { kind: 'ended', record };
    }
    case 'described':
    case 'refused':
      return readFromWorker(raw, numTransactions) as FromProcess | null;
    default:
      return null;
  }
}

function readRecord(raw: unknown, numTransactions: number): RunRecord | null {
  const outcome = readOutcome(raw, numTransactions);
  const { snapshot, cpuMs, peakRssBytes, startMs } = fieldsOf(raw) ?? {};
  if (!outcome || !isSnapshot(snapshot) || !isNumber(cpuMs) || !isNumber(startMs)) return null;
  if (peakRssBytes !== null && !isNumber(peakRssBytes)) return null;
  return { ...outcome, snapshot, cpuMs, peakRssBytes, startMs };
}

function readOutcome(raw: unknown, numTransactions: number): RunOutcome | null {
  const { verdict, error, notes } = fieldsOf(raw) ?? {};
  if (error !== null && !isErrorText(error)) return null;
  if (!isListOf(notes, isText)) return null;
  const inspected = inspectVerdict(verdict, numTransactions);
  if ('problem' in inspected) return unknown('crashed', inspected.problem);
  return { verdict: inspected.verdict, error, notes };
}

function isSnapshot(raw: unknown): raw is Snapshot {
  const { stages, counters, steps, wallMs, progress } = fieldsOf(raw) ?? {};
  const isStage = (stage: unknown): boolean => isText(fieldsOf(stage)?.['name']) && isNumber(fieldsOf(stage)?.['ms']);
  if (!isListOf(stages, isStage) || !isNumber(steps) || !isNumber(wallMs)) return false;
  const counted = fieldsOf(counters);
  if (counted === null || !Object.values(counted).every(isNumber)) return false;
  if (progress === null) return true;
  const { stage, done, total } = fieldsOf(progress) ?? {};
  return isText(stage) && isNumber(done) && isNumber(total);
}

function isErrorText(raw: unknown): raw is ErrorText {
  const { name, message, stack } = fieldsOf(raw) ?? {};
  return isText(name) && isText(message) && isText(stack);
}

const fieldsOf = (raw: unknown): Readonly<Record<string, unknown>> | null =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? (raw as Record<string, unknown>) : null;

const isListOf = (raw: unknown, isOne: (one: unknown) => boolean): raw is readonly string[] =>
  Array.isArray(raw) && raw.every(isOne);

const isText = (raw: unknown): raw is string => typeof raw === 'string';
const isNumber = (raw: unknown): raw is number => Number.isFinite(raw);
