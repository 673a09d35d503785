import type { Expression, Position } from './ast.ts';
import type { Cursor } from './cursor.ts';
import { LevelError } from './error.ts';
import { didYouMean } from './nearest.ts';
import { BASE_RELATIONS, isBaseRelation } from './relations.ts';

/** Binary operators, the loosest first. All of them group to the left. */
export const OPERATORS = [
  ['|', 'union'],
  ['\\', 'difference'],
  ['&', 'intersection'],
  [';', 'composition'],
] as const;

export const POSTFIX = [
  ['^-1', 'inverse'],
  ['+', 'closure'],
  ['*', 'reflexive-closure'],
  ['?', 'optional'],
] as const;

/** Maximum number of relations, operators and brackets in an expression, which also limits how deep brackets nest. */
const LARGEST_EXPRESSION = 1000;
const DEEPEST = 100;

/** Parses an expression over the base relations and the names of earlier definitions. */
export function parseExpression(cursor: Cursor, defined: readonly string[]): Expression {
  const start = cursor.position;
  let size = 0;
  const counted = (expression: Expression): Expression => {
    if (++size > LARGEST_EXPRESSION)
      throw new LevelError(
        start,
        `Found an expression with more than ${LARGEST_EXPRESSION} parts; name parts with let.`,
      );
    return expression;
  };

  const binary = (level: number, depth: number): Expression => {
    const operator = OPERATORS[level];
    if (operator === undefined) return postfix(depth);
    const [symbol, kind] = operator;
    let left = binary(level + 1, depth);
    for (;;) {
      const { position } = cursor;
      if (!cursor.skip(symbol)) return left;
      left = counted({ kind, left, right: binary(level + 1, depth), position });
    }
  };

  const postfix = (depth: number): Expression => {
    let of = operand(depth);
    for (;;) {
      const { position } = cursor;
      const found = POSTFIX.find(([symbol]) => cursor.skip(symbol));
      if (found === undefined) return of;
      of = counted({ kind: found[1], of, position });
    }
  };

  const operand = (depth: number): Expression => {
    const { position } = cursor;
    if (depth > DEEPEST) throw new LevelError(position, `Found more than ${DEEPEST} nested brackets.`);
    if (cursor.skip('(')) {
      const inner = binary(0, depth + 1);
      cursor.expect(')');
      return inner;
    }
    return counted(named(cursor, defined, position));
  };

  return binary(0, 0);
}

function named(cursor: Cursor, defined: readonly string[], position: Position): Expression {
  const { kind, text: name } = cursor.token;
  if (kind !== 'word') return cursor.fail('a relation or (');
  if (isBaseRelation(name)) {
    cursor.next();
    return { kind: 'base', name, position };
  }
  if (defined.includes(name)) {
    cursor.next();
    return { kind: 'name', name, position };
  }
  const known = [...Object.keys(BASE_RELATIONS), '[level NAME]', '[reader NAME]', ...defined];
  const hint = didYouMean(name, known);
  return cursor.fail(
    'a relation',
    hint === '' ? ` The relations are ${known.join(', ')}.` : ` ${hint[0]!.toUpperCase()}${hint.slice(1).trimEnd()}`,
  );
}
