import { CollectorError } from '../database/errors.ts';
import { spelled } from '../database/answers.ts';
import type { DataKind } from '../database/database.ts';

/** Answer of a user's program. */
export type Reply = (
  | {
      readonly kind: 'answer';
      readonly value: unknown;
      readonly database: string | null;
      /** In the answer to hello: the kinds of data that the program supports. */
      readonly data: readonly DataKind[] | null;
      /** In the answer to hello: whether one process serves all sessions. */
      readonly sessions: 'shared' | null;
      /** In the answer to hello: whether sessions take plain SQL. */
      readonly sql: boolean;
      /** In the answer to hello: whether the data end with the process. */
      readonly volatile: boolean;
    }
  | { readonly kind: 'aborted' | 'lost' | 'error'; readonly why: string }
) & {
  /** Number of the answered request, if one process serves all sessions. */
  readonly id: number | null;
};

/**
 * Parses one line of a program's answers. Refuses all ambiguous lines: those with unknown or repeated members, and with
 * numbers that are not integers or that a double does not represent exactly.
 */
export function parseReply(line: string): Reply {
  const members = membersOf(line);
  const problem = problemOf(line, members);
  if (problem !== null) throw new CollectorError(`answered ${shortened(line)}: ${problem}`);
  const { value, ...rest } = members;
  const { id = null, database = null, data = null, sessions = null, ...more } = rest as Members;
  const { sql = false, volatile = false, ...failed } = more;
  for (const kind of ['aborted', 'lost', 'error'] as const) {
    const why = failed[kind];
    if (why !== undefined) return { kind, why: cut(why, MOST_OF_A_REASON), id };
  }
  return { kind: 'answer', value, database, data, sessions, sql, volatile, id };
}

/** Members after validation. */
type Members = Partial<
  Record<'aborted' | 'lost' | 'error' | 'database', string> & {
    id: number;
    sessions: 'shared';
    sql: true;
    volatile: true;
    data: readonly DataKind[];
  }
>;

function membersOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const members: unknown = JSON.parse(line);
    if (typeof members === 'object' && members !== null && !Array.isArray(members))
      return Object.assign(Object.create(null) as object, members) as Record<string, unknown>;
  } catch {
    // reported below
  }
  throw new CollectorError(`answered ${shortened(line)}: expected one JSON object on one line`);
}

function problemOf(line: string, members: Readonly<Record<string, unknown>>): string | null {
  const names = Object.keys(members);
  const unknown = names.find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return `${spelled(unknown)} is not one of ${MEMBERS.join(', ')}`;
  const failed = names.filter((name) => FAILURES.has(name));
  if (failed.length > 0 && names.some((name) => name !== failed[0] && name !== 'id'))
    return `${failed[0]} must be the only member`;
  const wordless = names.find((name) => !VALUES.has(name) && typeof members[name] !== 'string');
  if (wordless !== undefined) return `${wordless} must be a string`;
  if (names.includes('id') && typeof members['id'] !== 'number') return 'id must be a number';
  if (names.includes('sessions') && members['sessions'] !== 'shared') return 'sessions must be "shared"';
  const untrue = ['sql', 'volatile'].find((name) => names.includes(name) && members[name] !== true);
  if (untrue !== undefined) return `${untrue} must be true`;
  if (names.includes('data') && !isKinds(members['data']))
    return `data must be a list of one or more of ${STATED_KINDS.join(', ')}, each once`;
  return tokenProblem(line);
}

/** Kinds of data that a program supports if it states none. */
export const KINDS: readonly DataKind[] = ['registers', 'lists', 'rows'];
const STATED_KINDS: readonly DataKind[] = ['registers', 'counters', 'lists', 'rows'];

function isKinds(data: unknown): data is readonly DataKind[] {
  if (!Array.isArray(data) || data.length === 0 || new Set(data).size < data.length) return false;
  return data.every((kind) => STATED_KINDS.includes(kind as DataKind));
}

const MEMBERS = ['value', 'database', 'data', 'id', 'sessions', 'sql', 'volatile', 'aborted', 'lost', 'error'];
const VALUES: ReadonlySet<string> = new Set(['value', 'data', 'id', 'sql', 'volatile']);
const FAILURES: ReadonlySet<string> = new Set(['aborted', 'lost', 'error']);

/**
 * Returns the first problem in a JSON text that JSON.parse ignores: a number that it rounds or a member that it
 * overwrites.
 */
function tokenProblem(line: string): string | null {
  const open: (Set<string> | null)[] = []; // member names of each enclosing object; null for a list
  let last = '';
  for (const [token] of line.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\]:]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name = JSON.parse(last) as string;
      const names = open.at(-1)!;
      if (names.has(name)) return `${spelled(name)} appears twice`;
      names.add(name);
    } else if (token[0] !== '"' && !(/^-?\d+$/.test(token) && Number.isSafeInteger(Number(token)))) {
      return `${shortened(token)} is not a whole number of at most 2^53 − 1`;
    }
    last = token;
  }
  return null;
}

const shortened = (text: string): string => (text === '' ? 'an empty line' : cut(text, 100));
const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** Number of characters of a database's error message; some databases append the state of the transaction. */
const MOST_OF_A_REASON = 500;
