import { CollectorError } from '../errors.ts';
import { spelled } from '../answers.ts';

/** What a program of one's own answered. */
export type Reply =
  | { readonly kind: 'answer'; readonly value: unknown; readonly database: string | null }
  | { readonly kind: 'aborted' | 'lost' | 'error'; readonly why: string };

/**
 * Reads one line of a program's answers. Whatever is not certain to be understood is refused: other members than those of
 * the protocol, members that stand twice, numbers that are not whole or that a double does not hold exactly.
 */
export function parseReply(line: string): Reply {
  const members = membersOf(line);
  const problem = problemOf(line, members);
  if (problem !== null) throw new CollectorError(`answered ${shortened(line)}: ${problem}`);
  const { value, database = null, ...failed } = members;
  for (const kind of ['aborted', 'lost', 'error'] as const) {
    if (kind in failed) return { kind, why: failed[kind] as string };
  }
  return { kind: 'answer', value, database: database as string | null };
}

function membersOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const members: unknown = JSON.parse(line);
    if (typeof members === 'object' && members !== null && !Array.isArray(members))
      return Object.assign(Object.create(null) as object, members) as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new CollectorError(`answered ${shortened(line)}: expected one JSON object on one line`);
}

function problemOf(line: string, members: Readonly<Record<string, unknown>>): string | null {
  const names = Object.keys(members);
  const unknown = names.find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return `${spelled(unknown)} is not one of ${MEMBERS.join(', ')}`;
  const failed = names.filter((name) => FAILURES.has(name));
  if (failed.length > 0 && names.length > 1) return `${failed[0]} must be the only member`;
  const wordless = names.find((name) => name !== 'value' && typeof members[name] !== 'string');
  if (wordless !== undefined) return `${wordless} must be a string`;
  return tokenProblem(line);
}

const MEMBERS = ['value', 'database', 'aborted', 'lost', 'error'];
const FAILURES: ReadonlySet<string> = new Set(['aborted', 'lost', 'error']);

/** What JSON.parse passes over: numbers that it rounds, members that it overwrites. The line is JSON. */
function tokenProblem(line: string): string | null {
  const open: (Set<string> | null)[] = []; // the names in each object around the token; null for a list
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

const shortened = (text: string): string =>
  text.length > 100 ? `${text.slice(0, 100)}…` : text === '' ? 'an empty line' : text;
