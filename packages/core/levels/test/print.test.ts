import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BASE_RELATIONS,
  type BaseRelation,
  BUILT_IN,
  LEVEL_RECORDS,
  parseLevel,
  printLevel,
  typeOfRelation,
} from '../src/index.ts';

const withoutPositions = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'position' ? undefined : inner)));

const again = (text: string): string => printLevel(parseLevel(text, 'again.lvl'));

test.each(LEVEL_RECORDS.map(({ name }) => name))('the text of %s, printed, is the same level', (name) => {
  const file = BUILT_IN.find(name)!;
  const text = printLevel(file);
  expect(withoutPositions(parseLevel(text, 'again.lvl'))).toEqual(withoutPositions(file));
  expect(again(text)).toBe(text);
});

/** Expressions over transactions, as text with a bracket around every operator. */
const expressions = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(
      ...([...Object.keys(BASE_RELATIONS), '[level causal]'] as BaseRelation[]).filter(
        (name) => typeOfRelation(name).to === 'transaction' && typeOfRelation(name).from === 'transaction',
      ),
      'id',
      '(seen ; missed)',
    ),
    fc
      .tuple(tie('expression'), fc.constantFrom('|', '\\', '&', ';'), tie('expression'))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc.tuple(tie('expression'), fc.constantFrom('^-1', '+', '*', '?')).map(([of, sign]) => `(${of})${sign}`),
  ),
})).expression;

const axioms = fc.oneof(
  fc
    .tuple(fc.constantFrom('', 'for each key '), fc.constantFrom('acyclic', 'irreflexive', 'empty'), expressions)
    .map((parts) => `${parts[0]}${parts[1]} ${parts[2]}`),
  expressions.map((text) => `co contains ${text}`),
  fc
    .tuple(fc.constantFrom('', 'for each key '), expressions)
    .map(([start, text]) => `${start}if t2 ${text} t3 then t2 before t1`),
  expressions.map((text) => `if t2 (${text}) ; seen r then t2 before t1`),
);

test('any level, printed and parsed, is the same level', () => {
  fc.assert(
    fc.property(
      fc.array(axioms, { minLength: 1, maxLength: 3 }),
      fc.array(expressions, { maxLength: 2 }),
      (texts, lets) => {
        const definitions = lets.map((text, i) => `let d${i} = ${text}`);
        const level = parseLevel(['level any', ...definitions, ...texts].join('\n'), 'any.lvl');
        const printed = printLevel(level);
        expect(withoutPositions(parseLevel(printed, 'any.lvl'))).toEqual(withoutPositions(level));
        expect(printed.length).toBeLessThanOrEqual(['level any', ...definitions, ...texts].join('\n').length + 1);
      },
    ),
    { numRuns: 1000 },
  );
});

test('the parser reads any text, or refuses it with a position', () => {
  const words = fc.constantFrom(
    ...'level mine title "a" let x = co before contains if t2 t3 r then t1 ( ) ; | & \\ + ^-1 ? * for each key acyclic so wr po seen , "'.split(
      ' ',
    ),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(words, { maxLength: 30 }).map((list) => `level mine ${list.join(' ')}`),
      ),
      (text) => {
        try {
          parseLevel(text, 'any.lvl');
        } catch (error) {
          expect((error as Error).message).toMatch(/^any\.lvl:\d+:\d+: Found /);
        }
      },
    ),
    { numRuns: 3000 },
  );
});
