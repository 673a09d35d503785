import type { Expression } from './ast.ts';

/** Returns the operands of an expression: two sides, one operand, or none for a single relation or name. */
export const operandsOf = (expression: Expression): readonly Expression[] =>
  'left' in expression ? [expression.left, expression.right] : 'of' in expression ? [expression.of] : [];

/** Returns whether an expression, or an expression inside it, fulfils a condition. */
export const someIn = (expression: Expression, test: (each: Expression) => boolean): boolean =>
  test(expression) || operandsOf(expression).some((operand) => someIn(operand, test));
