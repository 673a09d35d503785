/** Shape of result rows, and its check for data from a file or another machine; all readers of rows rely on it. */
import type { Measurement } from '@isolab/figures';

/** A measurement with the data to find and reuse it; a line of results.jsonl. */
export interface ResultRow extends Measurement {
  /** Hash of all inputs of the result: the cache key of the cell. */
  readonly key: string;
  /** `host`: name of the machine, if several share the work. */
  readonly run: Measurement['run'] & { readonly host?: string };
}

/** Reason why a value is not a row; null if it is one. */
export function whyNoRow(data: unknown): string | null {
  return whyNot(data, ROW, '');
}

/** Type of a field: a check, and the text of its expectation. */
interface Shape {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

type Fields = { readonly [name: string]: Shape | Fields };

const text: Shape = { expected: 'a string', fits: (value) => typeof value === 'string' };
const number: Shape = { expected: 'a number', fits: (value) => Number.isFinite(value) };
const count: Shape = {
  expected: 'a whole number of at least 0',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
const amount: Shape = {
  expected: 'a number of at least 0',
  fits: (value) => Number.isFinite(value) && (value as number) >= 0,
};
const oneOf = (...words: readonly string[]): Shape => ({
  expected: words.map((word) => `"${word}"`).join(', '),
  fits: (value) => words.includes(value as string),
});
const either = (...shapes: readonly Shape[]): Shape => ({
  expected: shapes.map(({ expected }) => expected).join(' or '),
  fits: (value) => shapes.some(({ fits }) => fits(value)),
});
const absent: Shape = { expected: 'nothing', fits: (value) => value === undefined };
const none: Shape = { expected: 'null', fits: (value) => value === null };
const listOf = (expected: string, fields: Readonly<Record<string, Shape>>): Shape => ({
  expected: `a list of ${expected}`,
  fits: (value) => Array.isArray(value) && value.every((entry) => whyNot(entry, fields, '') === null),
});

const verdict = oneOf('satisfied', 'violated', 'unknown', 'skipped');
const reason = either(text, none);
const wallMs = either(amount, none);

const ROW: Fields & { readonly [Name in keyof ResultRow]-?: Shape | Fields } = {
  experiment: text,
  series: text,
  x: either(number, text),
  repeat: count,
  checker: text,
  variant: either(text, none),
  level: text,
  history: { id: text, sessions: count, transactions: count, operations: count, keys: count },
  verdict,
  reason,
  wallMs,
  fromFileMs: either(absent, amount),
  prepareMs: either(absent, amount),
  cpuMs: either(amount, none),
  peakRssBytes: either(amount, none),
  idleRssBytes: either(absent, amount),
  stages: listOf('names and milliseconds', { name: text, ms: amount }),
  counters: {
    expected: 'an object of numbers',
    fits: (value) => isRecord(value) && Object.values(value).every(number.fits),
  },
  certificate: oneOf('verified', 'rejected', 'none', 'not asked'),
  each: either(absent, listOf('verdicts, reasons and milliseconds', { verdict, reason, wallMs })),
  key: text,
  run: {
    machine: text,
    host: either(absent, text),
    node: text,
    commit: text,
    at: text,
    load: number,
    together: either(absent, text),
    scale: text,
  },
};

function whyNot(data: unknown, fields: Fields, path: string): string | null {
  if (!isRecord(data)) return `${path === '' ? 'the row' : path} is ${shown(data)}, expected an object`;
  for (const [name, shape] of Object.entries(fields)) {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    const place = path === '' ? name : `${path}.${name}`;
    if (!isShape(shape)) {
      const problem = whyNot(value, shape, place);
      if (problem !== null) return problem;
    } else if (!shape.fits(value)) return `${place} is ${shown(value)}, expected ${shape.expected}`;
  }
  return null;
}

const isShape = (shape: Shape | Fields): shape is Shape => typeof shape.fits === 'function';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const json = JSON.stringify(value);
  return json.length <= LONGEST_SHOWN ? json : `${json.slice(0, LONGEST_SHOWN)}…`;
}

const LONGEST_SHOWN = 60;
