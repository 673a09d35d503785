import type { Row, Scalar } from './row.ts';

/**
 * A condition on the columns of a row, as data in the form of JSON: `["and", ["=", "shift", 1], ["<", "age", 30]]`;
 * `true` holds for every row. As in SQL, a comparison with null is neither true nor false, and a row matches if the
 * condition is true. `["sql", text]` is an unmodelled condition, whose rows are unknown.
 */
export type Predicate =
  | true
  | readonly [ValueComparison, string, Constant]
  | readonly ['between', string, Constant, Constant]
  | readonly ['in', string, readonly Constant[]]
  | readonly ['null', string]
  | readonly ['and' | 'or', ...Predicate[]]
  | readonly ['not', Predicate]
  | readonly ['sql', string];

export type ValueComparison = (typeof COMPARISONS)[number];
/** Constant that a column is compared with. */
export type Constant = Exclude<Scalar, null>;

const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const;

/**
 * Returns whether a row certainly matches: the condition is true, not just unknown, for any value of its unmodelled
 * parts.
 */
export const matches = (predicate: Predicate, row: Row): boolean => truth(predicate, row, UNKNOWN) === TRUE;

/** Returns whether a row matches for some value of the unmodelled parts. */
export const mayMatch = (predicate: Predicate, row: Row): boolean => truth(predicate, row, TRUE) === TRUE;

/** Returns whether a part of a condition is unmodelled. */
export const isOpaque = (predicate: Predicate): boolean => {
  if (predicate === true) return false;
  const [kind, ...parts] = predicate;
  if (kind === 'and' || kind === 'or' || kind === 'not') return (parts as Predicate[]).some(isOpaque);
  return kind === 'sql';
};

// SQL's truth values, ordered so that "and" is the minimum and "or" the maximum.
const [FALSE, UNKNOWN, TRUE] = [0, 1, 2];

/** `opaque` is the truth value of unmodelled parts. */
function truth(predicate: Predicate, row: Row, opaque: number): number {
  if (predicate === true) return TRUE;
  switch (predicate[0]) {
    case 'and': {
      let least = TRUE;
      for (let part = 1; part < predicate.length && least > FALSE; part++)
        least = Math.min(least, truth(predicate[part] as Predicate, row, opaque));
      return least;
    }
    case 'or': {
      let most = FALSE;
      for (let part = 1; part < predicate.length && most < TRUE; part++)
        most = Math.max(most, truth(predicate[part] as Predicate, row, opaque));
      return most;
    }
    case 'not':
      return TRUE - truth(predicate[1], row, TRUE - opaque);
    case 'sql':
      return opaque;
    case 'null':
      return (row[predicate[1]] ?? null) === null ? TRUE : FALSE;
  }
  const value = row[predicate[1]] ?? null;
  // Membership in an empty list is false even for null, as in databases that allow empty lists.
  if (value === null) return predicate[0] === 'in' && predicate[2].length === 0 ? FALSE : UNKNOWN;
  return holds(predicate, value) ? TRUE : FALSE;
}

type ColumnPredicate = Extract<Predicate, readonly [ValueComparison | 'between' | 'in', ...unknown[]]>;

function holds(predicate: ColumnPredicate, value: Constant): boolean {
  switch (predicate[0]) {
    case 'between':
      return compare(value, predicate[2]) >= 0 && compare(value, predicate[3]) <= 0;
    case 'in':
      return predicate[2].includes(value);
    case '=':
      return value === predicate[2];
    case '<>':
      return value !== predicate[2];
    case '<':
      return compare(value, predicate[2]) < 0;
    case '<=':
      return compare(value, predicate[2]) <= 0;
    case '>':
      return compare(value, predicate[2]) > 0;
    case '>=':
      return compare(value, predicate[2]) >= 0;
  }
}

/** Compares texts by code units, as in the "C" collation of databases. */
export const compare = (a: Constant, b: Constant): number => (a < b ? -1 : a > b ? 1 : 0);

/** Lists the columns in a condition, each with the value that it is compared with. */
export function* comparisonsOf(
  predicate: Predicate,
): Generator<readonly [column: string, constants: readonly Constant[]]> {
  if (predicate === true) return;
  switch (predicate[0]) {
    case 'and':
    case 'or':
    case 'not':
      for (const part of predicate.slice(1)) yield* comparisonsOf(part as Predicate);
      break;
    case 'sql':
      break;
    case 'null':
      yield [predicate[1], []];
      break;
    case 'in':
      yield [predicate[1], predicate[2]];
      break;
    case 'between':
      yield [predicate[1], [predicate[2], predicate[3]]];
      break;
    default:
      yield [predicate[1], [predicate[2]]];
  }
}

/** Describes a problem with a purported predicate; null if there is none. */
export function predicateProblem(data: unknown, depth = 0): { found: string; expected: string } | null {
  if (data === true) return null;
  const wrong = (expected: string): { found: string; expected: string } => ({ found: shorten(data), expected });
  if (!Array.isArray(data)) return wrong('a predicate such as ["=","column",1], or true');
  if (depth > DEEPEST) return wrong(`a predicate nested at most ${DEEPEST} deep`);
  const [kind, ...rest] = data as unknown[];
  switch (kind) {
    case 'and':
    case 'or':
      return firstProblem(rest, depth);
    case 'not':
      return rest.length === 1 ? predicateProblem(rest[0], depth + 1) : wrong('["not",PREDICATE]');
    case 'null':
      return rest.length === 1 && isText(rest[0]) ? null : wrong('["null","column"]');
    case 'sql':
      return rest.length === 1 && isText(rest[0]) ? null : wrong('["sql","condition"]');
    case 'between':
      return rest.length === 3 && isText(rest[0]) && sameType(rest.slice(1))
        ? null
        : wrong('["between","column",LOW,HIGH] with two numbers or two texts');
    case 'in':
      return rest.length === 2 && isText(rest[0]) && Array.isArray(rest[1]) && sameType(rest[1] as unknown[])
        ? null
        : wrong('["in","column",[VALUE,…]] with values of one type');
  }
  if (!(COMPARISONS as readonly unknown[]).includes(kind))
    return wrong(`one of ${[...COMPARISONS, 'between', 'in', 'null', 'and', 'or', 'not', 'sql'].join(' ')} in front`);
  return rest.length === 2 && isText(rest[0]) && isConstant(rest[1])
    ? null
    : wrong(`["${kind as string}","column",VALUE] with a number, a text or a boolean`);
}

function firstProblem(parts: readonly unknown[], depth: number): { found: string; expected: string } | null {
  for (const part of parts) {
    const problem = predicateProblem(part, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}

const isText = (data: unknown): boolean => typeof data === 'string' && data !== '';
const isConstant = (data: unknown): boolean =>
  typeof data === 'string' || typeof data === 'boolean' || (typeof data === 'number' && Number.isFinite(data));
const sameType = (data: readonly unknown[]): boolean =>
  data.every((each) => isConstant(each) && typeof each === typeof data[0]);

/** Shows a predicate as a condition in SQL: `shift = 1 and age < 30`. */
export function showPredicate(predicate: Predicate, inside: 'and' | 'or' | null = null): string {
  if (predicate === true) return 'true';
  switch (predicate[0]) {
    case 'and':
    case 'or': {
      const [word, ...parts] = predicate;
      if (parts.length === 0) return word === 'and' ? 'true' : 'false';
      const text = parts.map((part) => showPredicate(part, parts.length > 1 ? word : inside)).join(` ${word} `);
      return inside !== null && inside !== word && parts.length > 1 ? `(${text})` : text;
    }
    case 'not':
      return `not (${showPredicate(predicate[1])})`;
    case 'null':
      return `${predicate[1]} is null`;
    case 'sql':
      return inside === null ? predicate[1] : `(${predicate[1]})`;
    case 'between':
      return `${predicate[1]} between ${showScalar(predicate[2])} and ${showScalar(predicate[3])}`;
    case 'in':
      return `${predicate[1]} in (${predicate[2].map(showScalar).join(', ')})`;
    default:
      return `${predicate[1]} ${predicate[0]} ${showScalar(predicate[2])}`;
  }
}

/** Shows the value of a column as in SQL. */
export const showScalar = (value: Scalar): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

const shorten = (data: unknown): string => {
  const text = JSON.stringify(data) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};

const DEEPEST = 50;
