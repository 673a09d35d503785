import { type ValueComparison, type Constant, type Predicate, predicateProblem } from '@isolab/history';
import type { Words } from './words.ts';

/**
 * Parses conditions as in SQL: `on_call = true and (shift between 1 and 3 or name in ('a', 'b'))`, `not`, `is null`,
 * `is not null`; `true` holds for every row. "and" binds closer than "or". `(and)` and `(or a = 1)` spell the operators
 * with fewer than two parts. `sql('lower(name) = ''al''')` is a condition outside the model.
 */
export function parsePredicate(words: Words): Predicate {
  const predicate = parseJunction(words, 'or', 0);
  const problem = predicateProblem(predicate);
  return problem === null ? predicate : words.fail(problem.expected, null, problem.found);
}

function parseJunction(words: Words, operator: 'or' | 'and', depth: number): Predicate {
  if (depth > DEEPEST) words.fail('a condition with fewer parentheses');
  const next = (): Predicate => (operator === 'or' ? parseJunction(words, 'and', depth) : parseTerm(words, depth));
  const parts = [next()];
  while (words.takeWord(operator)) parts.push(next());
  return parts.length === 1 ? parts[0]! : [operator, ...parts];
}

function parseTerm(words: Words, depth: number): Predicate {
  if (depth > DEEPEST) words.fail('a condition with fewer parentheses');
  if (words.takeWord('true')) return true;
  if (words.takeWord('not')) return ['not', parseTerm(words, depth + 1)];
  if (words.take('(')) {
    const operator = words.takeWord('and') ? 'and' : words.takeWord('or') ? 'or' : null;
    if (operator !== null && words.take(')')) return [operator];
    const inside = parseJunction(words, 'or', depth + 1);
    words.expect(')', 'and, or, or a closing parenthesis');
    return operator === null ? inside : [operator, inside];
  }
  return parseSql(words) ?? parseComparison(words);
}

/** A column may also be named sql. */
function parseSql(words: Words): Predicate | null {
  const from = words.at;
  if (!words.takeWord('sql') || !words.take('(')) {
    words.at = from;
    return null;
  }
  const at = words.at;
  const text = words.scalar('a condition in single quotes');
  if (typeof text !== 'string') return words.fail('a condition in single quotes', at);
  words.expect(')', 'a closing parenthesis');
  return ['sql', text];
}

function parseComparison(words: Words): Predicate {
  const column = words.name(
    words.isKeyword() ? 'a column, in double quotes if it has that name' : 'a condition such as on_call = true',
  );
  for (const sign of SIGNS) if (words.take(sign)) return [sign === '!=' ? '<>' : sign, column, words.constant()];
  if (words.takeWord('is')) {
    const isNegated = words.takeWord('not');
    if (!words.takeWord('null')) words.fail('null');
    return isNegated ? ['not', ['null', column]] : ['null', column];
  }
  const isNegated = words.takeWord('not');
  const negated = (predicate: Predicate): Predicate => (isNegated ? ['not', predicate] : predicate);
  if (words.takeWord('between')) {
    const low = words.constant();
    if (!words.takeWord('and')) words.fail('and, followed by the upper bound');
    return negated(['between', column, low, words.constant()]);
  }
  if (!words.takeWord('in')) words.fail('one of = <> < <= > >=, between, in, is null');
  return negated(['in', column, parseValues(words)]);
}

function parseValues(words: Words): Constant[] {
  words.expect('(', "values in parentheses, such as (1, 2) or ('a')");
  const values: Constant[] = [];
  if (words.take(')')) return values;
  do values.push(words.constant());
  while (words.take(','));
  words.expect(')', 'a comma or a closing parenthesis');
  return values;
}

const SIGNS: readonly (ValueComparison | '!=')[] = ['<=', '>=', '<>', '!=', '=', '<', '>'];
/** Far deeper than any handwritten condition; the model accepts less. */
const DEEPEST = 200;
