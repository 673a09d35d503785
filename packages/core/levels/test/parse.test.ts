import { describe, expect, test } from 'vitest';
import { LevelError, parseLevel, readLevel } from '../src/index.ts';

function problem(source: string, read: (source: string, file: string) => unknown = parseLevel): string {
  try {
    read(source, 'mine.lvl');
  } catch (error) {
    if (error instanceof LevelError) return error.message;
    throw error;
  }
  return 'no problem';
}

const axiom = (text: string): string => problem(`level mine\n${text}`);

describe('a level', () => {
  test('a level is read whole', () => {
    const level = parseLevel(
      `# Comments count for nothing.
      level mine title "My \\"level\\"" summary "What it asks for."
      also my-level, "mine+" paper "Nobody, Never 2030"
      implies causal, read-atomic
      includes prefix
      let seen-before = (so | wr)+ # and so on
      co contains seen-before
      for each key acyclic ww \\ so^-1
      if t2 co? ; wr t3 then t2 before t1
      if t2 seen r then t2 before t1`,
      'mine.lvl',
    );
    expect(level).toMatchObject({
      name: 'mine',
      title: 'My "level"',
      aliases: ['my-level', 'mine+'],
      implies: [{ name: 'causal' }, { name: 'read-atomic' }],
      includes: [{ name: 'prefix', position: { file: 'mine.lvl', line: 5, column: 16 } }],
      definitions: [{ name: 'seen-before' }],
      axioms: [
        { kind: 'contains', order: 'co' },
        { kind: 'acyclic', eachKey: true, expression: { kind: 'difference' } },
        { kind: 'overwritten', of: 'transaction' },
        { kind: 'overwritten', of: 'read' },
      ],
    });
  });

  test('operators bind in the order that docs/levels.md states', () => {
    const { axioms } = parseLevel('level mine empty so | rt \\ wr & ww ; co^-1', 'mine.lvl');
    expect(axioms[0]!.expression).toMatchObject({
      kind: 'union',
      right: {
        kind: 'difference',
        right: { kind: 'intersection', right: { kind: 'composition', right: { kind: 'inverse' } } },
      },
    });
  });
});

describe('a mistake is shown with its position, the text found and the text expected', () => {
  test.each([
    ['acyclic so | ', 'mine.lvl:2:14: Found the end of the file, expected a relation or (.'],
    ['acyclic (so | wr', 'mine.lvl:2:17: Found the end of the file, expected ).'],
    ['acyclic so wr', 'mine.lvl:2:12: Found wr, expected an operator or a statement, which begins with '],
    ['acyclic se', 'mine.lvl:2:9: Found se, expected a relation. Did you mean so?'],
    ['acyclic visibility', 'mine.lvl:2:9: Found visibility, expected a relation. The relations are so, rt, wr, '],
    ['acylic so', 'mine.lvl:2:1: Found acylic, expected a statement, which begins with '],
    ['acylic so', ' Did you mean acyclic?'],
    ['acyclic so^2', 'mine.lvl:2:11: Found ^ without -1 after it, expected a word, an operator or a text in ".'],
    ['acyclic so ∪ wr', 'mine.lvl:2:12: Found ∪, expected a word, an operator or a text in ".'],
    ['acyclic so\0', 'mine.lvl:2:11: Found the character U+0000, expected'],
    ['title "half', 'mine.lvl:2:7: Found a text that does not end on its line, expected a closing ".'],
    ['title half', 'mine.lvl:2:7: Found half, expected a text in ".'],
    ['title "a" title "b"', 'mine.lvl:2:11: Found this statement a second time, expected it once.'],
    ['let so = wr', 'mine.lvl:2:5: Found so, expected an unused name.'],
    ['let if = wr', 'mine.lvl:2:5: Found if, expected an unused name.'],
    ['let a = wr let a = so', 'mine.lvl:2:16: Found a, expected an unused name.'],
    ['let A = wr', 'mine.lvl:2:5: Found A, expected a name in lower case, with digits and dashes.'],
    ['let a = a', 'mine.lvl:2:9: Found a, expected a relation.'],
    [
      'for each key co contains so',
      'mine.lvl:2:14: Found co, expected an axiom about one key; co contains is about all keys.',
    ],
    ['if t2 so t1 then t2 before t1', 'mine.lvl:2:10: Found t1, expected an operator, t3 or r.'],
    ['if t2 so t3 then t1 before t2', 'mine.lvl:2:18: Found t1, expected t2.'],
    ['allows dirty-reads', 'mine.lvl:2:8: Found dirty-reads, expected one of aborted-reads, '],
    ['level other', 'mine.lvl:2:1: Found level, expected only one level per file.'],
    ['implies Causal', 'mine.lvl:2:9: Found Causal, expected the name of a level, in lower case.'],
    ['let a = so', 'mine.lvl:1:1: Found no axiom in mine, expected at least one, or includes NAME.'],
    ['co wr', 'mine.lvl:2:1: Found co, expected a statement, such as co contains so.'],
  ])('%s', (text, message) => {
    expect(axiom(text)).toContain(message);
  });

  test('a file without a level is refused', () => {
    expect(problem('acyclic so')).toBe('mine.lvl:1:1: Found acyclic, expected level NAME at the start of the file.');
    expect(problem('')).toContain('mine.lvl:1:1: Found the end of the file, expected level NAME');
  });
});

describe('types', () => {
  test.each([
    [
      'acyclic so ; po',
      'mine.lvl:2:12: Found transaction → transaction before ; and read → read after it. The relations reads and seen lead to a read,',
    ],
    [
      'acyclic so ; before',
      'Found transaction → transaction before ; and event → event after it. The relations begin and commit lead to an event',
    ],
    [
      'acyclic so | po',
      'mine.lvl:2:12: Found transaction → transaction on the left and read → read on the right, expected the same on both sides.',
    ],
    [
      'acyclic seen',
      'mine.lvl:2:9: Found transaction → read, expected a relation that leads back to its own sort after acyclic.',
    ],
    ['empty seen+', 'mine.lvl:2:11: Found transaction → read, expected a relation that leads back to its own sort.'],
    ['co contains po', 'mine.lvl:2:13: Found read → read, expected transaction → transaction after co contains.'],
    ['before contains so', 'Found transaction → transaction, expected event → event after before contains.'],
    [
      'if t2 so r then t2 before t1',
      'mine.lvl:2:7: Found transaction → transaction, expected transaction → read before r.',
    ],
    ['if t2 seen t3 then t2 before t1', 'Found transaction → read, expected transaction → transaction before t3.'],
    ['let a = id let b = a ; so acyclic a ; po', 'Found transaction → transaction before ; and read → read after it.'],
  ])('%s', (text, message) => {
    expect(axiom(text)).toContain(message);
  });

  test.each([
    'acyclic reads ; po ; reads^-1 | id & so',
    'acyclic id',
    'before contains commit^-1 ; so ; begin | [begin] ; time',
    'empty seen ; missed \\ co',
    'if t2 seen ; (po | id) r then t2 before t1',
    'empty [initial] ; seen',
  ])('%s', (text) => {
    expect(axiom(text)).toBe('no problem');
  });
});

describe('names of levels', () => {
  const read = (text: string): string => problem(text, readLevel);

  test.each([
    ['level mine includes casual', 'mine.lvl:1:21: Found casual, expected the name of a level. Did you mean causal?'],
    [
      'level mine acyclic so implies nothing-like-it',
      'mine.lvl:1:31: Found nothing-like-it, expected the name of a level. isolab list levels lists them.',
    ],
    ['level mine for each key satisfies sre', 'expected the name of a level. Did you mean ser?'],
    ['level causal acyclic so', 'mine.lvl:1:1: Found causal, which is a level of isolab; choose another name.'],
    ['level mine also ser acyclic so', 'mine.lvl:1:1: Found ser, which is a level of isolab; choose another name.'],
    [
      'level mine includes linearizable for each key satisfies causal',
      'Found 2 levels that each key must satisfy (causal and strict-serializable), expected one.',
    ],
    [
      'level mine includes causal allows aborted-reads',
      'mine.lvl:1:21: Found allows aborted-reads together with causal, which does not allow them.',
    ],
  ])('%s', (text, message) => {
    expect(read(text)).toContain(message);
  });

  test('aliases of a level are accepted', () => {
    const level = readLevel('level mine includes ser', 'mine.lvl');
    expect(level.implies).toEqual(['serializable']);
    expect(level.order).toBe('commits');
  });
});

describe('nonsense is refused quickly', () => {
  test.each([
    ['brackets', `acyclic ${'('.repeat(5000)}so${')'.repeat(5000)}`, 'Found more than 100 nested brackets.'],
    [
      'a long chain',
      `acyclic ${'so | '.repeat(15_000)}so`,
      'Found an expression with more than 1000 parts; name parts with let.',
    ],
    ['many signs', `acyclic so${'+'.repeat(50_000)}`, 'Found an expression with more than 1000 parts'],
    ['a long file', `acyclic so${' '.repeat(200_000)}`, 'expected a level of at most 100000.'],
    ['many axioms', 'acyclic so\n'.repeat(5000), 'expected at most 100 axioms.'],
    [
      'names that double',
      `let a0 = so ${Array.from({ length: 60 }, (_, i) => `let a${i + 1} = a${i} ; a${i}`).join(' ')} acyclic a60`,
      'parts, expected at most 10000.',
    ],
  ])('%s', (_, text, message) => {
    const start = performance.now();
    expect(problem(`level mine ${text}`, readLevel)).toContain(message);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
