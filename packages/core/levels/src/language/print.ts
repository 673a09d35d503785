import type { Axiom, Expression, LevelFile, Named } from './ast.ts';
import { OPERATORS, POSTFIX } from './parse-expression.ts';

/** Prints a level; parsing the text gives the level again. */
export function printLevel(level: LevelFile): string {
  const names = (named: readonly Named[]): string[] => named.map(({ name }) => name);
  const list = (word: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : [`${word} ${items.map(nameText).join(', ')}`];
  return [
    `level ${nameText(level.name)}`,
    ...(level.title === level.name ? [] : [`title ${quoted(level.title)}`]),
    ...(level.summary === '' ? [] : [`summary ${quoted(level.summary)}`]),
    ...list('also', level.aliases),
    ...(level.paper === null ? [] : [`paper ${quoted(level.paper)}`]),
    ...list('implies', names(level.implies)),
    ...list('includes', names(level.includes)),
    ...list('allows', level.allows),
    ...list('for each key satisfies', level.eachKeySatisfies === null ? [] : names([level.eachKeySatisfies])),
    ...level.definitions.map(({ name, expression }) => `let ${name} = ${printExpression(expression)}`),
    ...level.axioms.map(printAxiom),
    '',
  ].join('\n');
}

const nameText = (name: string): string => (/^[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*$/.test(name) ? name : quoted(name));

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

export function printAxiom(axiom: Axiom): string {
  const expression = printExpression(axiom.expression);
  const start = axiom.eachKey ? 'for each key ' : '';
  switch (axiom.kind) {
    case 'contains':
      return `${axiom.order} contains ${expression}`;
    case 'overwritten':
      return `${start}if t2 ${expression} ${axiom.of === 'read' ? 'r' : 't3'} then t2 before t1`;
    default:
      return `${start}${axiom.kind} ${expression}`;
  }
}

/** Prints an expression with no more brackets than needed. `binding` is the binding strength of its place. */
export function printExpression(expression: Expression, binding = 0): string {
  switch (expression.kind) {
    case 'base':
    case 'name':
      return expression.name;
    case 'union':
    case 'difference':
    case 'intersection':
    case 'composition': {
      const own = OPERATORS.findIndex(([, kind]) => kind === expression.kind);
      const left = printExpression(expression.left, own);
      const right = printExpression(expression.right, own + 1);
      const text = `${left} ${OPERATORS[own]![0]} ${right}`;
      return own < binding ? `(${text})` : text;
    }
    default: {
      const [symbol] = POSTFIX.find(([, kind]) => kind === expression.kind)!;
      return `${printExpression(expression.of, OPERATORS.length)}${symbol}`;
    }
  }
}
