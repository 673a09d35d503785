import {
  type Answer,
  type Request,
  type StatementRequest,
  type WorkloadRow,
  type TableRequest,
  isTableRequest,
} from '@isolab/workloads';
import { CollectorError } from './errors.ts';
import { tableAnswerTo, listOf } from './table-answers.ts';

export type Question = Exclude<Request, StatementRequest | { kind: 'abort' | 'wait' }>;
/** Requests on single keys and on ranges of keys. */
export type KeyQuestion = Exclude<Question, TableRequest>;

/** Checks every answer of a driver. Values must be integers that a double represents exactly; no value is rounded. */
export function answerTo(question: Question, raw: unknown, who = 'The database'): Answer {
  const refuse = (expected: string): never => {
    throw new CollectorError(
      `${who} was asked ${spelled(question)} and answered ${spelled(raw)}, expected ${expected}.`,
    );
  };
  if (isTableRequest(question)) {
    const found = tableAnswerTo(question, raw);
    return 'answer' in found ? found.answer : refuse(found.expected);
  }
  switch (question.kind) {
    case 'write':
    case 'append':
    case 'increment':
      return undefined;
    case 'read':
      return raw === null ? null : (integer(raw) ?? refuse(`${VALUE} or null`));
    case 'read-list':
      return listOf(raw, integer) ?? refuse(`a list of values, each ${VALUE}; [] if none`);
    case 'insert':
    case 'delete': {
      const rows = listOf(raw, rowOf);
      const fits = rows !== null && rows.length <= 1 && rows.every(({ key }) => key === question.key);
      return fits ? rows : refuse(`[], or the row: ${ROW}`);
    }
    case 'range': {
      const rows = listOf(raw, rowOf);
      const { low, high } = question;
      const isWithin = rows?.every(({ key }) => typeof key === 'number' && key >= low && key <= high) === true;
      const fits = isWithin && new Set(rows.map(({ key }) => key)).size === rows.length;
      return fits ? rows : refuse(`the rows from ${low} to ${high}, each once: ${ROW}`);
    }
    case 'compare-and-set':
      return typeof raw === 'boolean' ? raw : refuse('true if the write took place, otherwise false');
  }
}

const VALUE = 'a whole number of at most 2^53 − 1';
const ROW = '[{"key":7,"value":3,"dead":false}]';

/** Returns a safe integer, or null for any other value. */
const integer = (raw: unknown): number | null => (Number.isSafeInteger(raw) ? (raw as number) + 0 : null); // −0 becomes 0

/**
 * Converts integers that a database returns as text or bigints. Returns other values unchanged, for {@link answerTo} to
 * refuse.
 */
export function numberIn(raw: unknown): unknown {
  const isWhole = typeof raw === 'bigint' || (typeof raw === 'string' && /^-?\d{1,17}$/.test(raw));
  return isWhole && Number.isSafeInteger(Number(raw)) ? Number(raw) : raw;
}

function rowOf(raw: unknown): WorkloadRow | null {
  if (typeof raw !== 'object' || raw === null) return null;
  const { key, value, dead } = raw as Record<string, unknown>;
  const [number, held] = [integer(key), integer(value)];
  return number === null || held === null || typeof dead !== 'boolean' ? null : { key: number, value: held, dead };
}

/** Formats any value as text of limited length. */
export function spelled(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'bigint'
        ? `${inner}`
        : typeof inner === 'number' && !Number.isFinite(inner)
          ? String(inner)
          : inner,
    );
  } catch {
    // the value has a cycle
  }
  text ??= String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
