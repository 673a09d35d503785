/** Requests and answers of `isolab serve`: each is one line of JSON. */
import type { LevelWord } from 'isolab/check';
import { toJson } from '../terminal/print.ts';

export interface Request {
  /** Repeated in the answer. */
  readonly id?: string | number | null;
  /** Path of the history; either this or `text`. */
  readonly path?: string;
  /** The history itself. */
  readonly text?: string;
  readonly level: LevelWord | readonly LevelWord[];
  readonly format?: string;
  readonly checker?: string;
  /** Limits below those of the server. */
  readonly timeMs?: number;
  readonly steps?: number;
  readonly certify?: boolean;
  readonly allowVacuous?: boolean;
  readonly allowCutOff?: boolean;
}

const FIELDS: Readonly<Record<keyof Request, keyof typeof KINDS>> = {
  id: 'a string or a number',
  path: 'a string',
  text: 'a string',
  level: 'the name of a level, or a list of names',
  format: 'a string',
  checker: 'a string',
  timeMs: 'a number that is not negative',
  steps: 'a number that is not negative',
  certify: 'true or false',
  allowVacuous: 'true or false',
  allowCutOff: 'true or false',
};

const KINDS = {
  'a string': (value: unknown) => typeof value === 'string',
  'a string or a number': (value: unknown) => value === null || ['string', 'number'].includes(typeof value),
  'a number that is not negative': (value: unknown) => typeof value === 'number' && value >= 0,
  'true or false': (value: unknown) => typeof value === 'boolean',
  'the name of a level, or a list of names': (value: unknown) =>
    [value].flat().every((word) => typeof word === 'string'),
};

/** Name of a history without a path. */
export const TEXT = 'text';

/** Answer to a request without a verdict. */
export const failure = (request: Partial<Request>, error: string, more: object = {}): string =>
  toJson({ id: request.id ?? null, path: request.path ?? TEXT, verdict: 'unknown', ...more, error });

/** A request, or the answer to a line that is none. */
export type Parsed = { readonly request: Request } | { readonly answer: string };

export function requestIn(line: string): Parsed {
  let request: Partial<Request>;
  try {
    request = JSON.parse(line) as Partial<Request>;
  } catch (error) {
    return { answer: failure({}, `The request is not JSON: ${(error as Error).message}`) };
  }
  const problem = problemIn(request);
  if (problem === null) return { request: request as Request };
  return { answer: failure(KINDS[FIELDS.id](request?.id) ? { id: request.id! } : {}, problem) };
}

function problemIn(request: Partial<Request>): string | null {
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    return `The request is ${shown(request)}, expected an object such as {"path":"h.jsonl","level":"serializable"}`;
  for (const [name, value] of Object.entries(request)) {
    if (!Object.hasOwn(FIELDS, name))
      return `The field ${shown(name)} is unknown, expected ${Object.keys(FIELDS).join(', ')}`;
    const kind = FIELDS[name as keyof Request];
    if (!KINDS[kind](value)) return `The field ${name} is ${shown(value)}, expected ${kind}`;
  }
  if (request.level === undefined) return 'The field level is missing, expected the name of a level, or all';
  if ((request.path === undefined) !== (request.text === undefined)) return null;
  return 'Expected one of the fields path and text: the path of a history, or the history itself';
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

const SHOWN = 40;

/** Message to a process that checks. */
export interface Job {
  readonly request: Request;
  readonly timeMs: number;
  readonly memoryBytes: number;
}

/** Message of a process that checks: once when it is ready, then after each check. */
export interface Checked {
  readonly answer: string | null;
  /** Resident memory after the check. */
  readonly bytes: number;
}
