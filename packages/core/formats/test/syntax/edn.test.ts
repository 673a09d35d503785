import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EdnReader, type EdnValue } from '../../src/syntax/edn.ts';
import { SyntaxProblem } from '../../src/syntax/problem.ts';
import { ednValue, gap, print } from './edn-arbitrary.ts';
import { outcome, problemOf, toBytes } from './helpers.ts';

const reader = new EdnReader();

function open(text: string | Uint8Array): EdnReader {
  const bytes = toBytes(text);
  reader.reset(bytes, 0, bytes.length);
  return reader;
}

function parse(text: string | Uint8Array): EdnValue {
  const value = open(text).readValue();
  reader.finish();
  return value;
}

function skip(text: string | Uint8Array): void {
  open(text).skipValue();
  reader.finish();
}

const keyword = (name: string): EdnValue => ({ kind: 'keyword', name });
const symbol = (name: string): EdnValue => ({ kind: 'symbol', name });
const character = (name: string): EdnValue => ({ kind: 'character', name });
const number = (text: string): EdnValue => ({ kind: 'number', text });
const vector = (...items: EdnValue[]): EdnValue => ({ kind: 'vector', items });
const list = (...items: EdnValue[]): EdnValue => ({ kind: 'list', items });
const set = (...items: EdnValue[]): EdnValue => ({ kind: 'set', items });
const map = (...entries: [EdnValue, EdnValue][]): EdnValue => ({ kind: 'map', entries });

const DOCUMENTS = [
  '{:type :ok, :f :txn, :value [[:append 3 17] [:r 4 [1 2 3]] [:r 5 nil]], :time 123456, :process 4}',
  '({:process :nemesis, :error ["a \\"quoted\\" text" \\newline \\] 1.5M 22/7]} #{-1N true} #_ gone)',
  '[; a comment ]\n #inst "2025-06-13" #_#_ a b [#_ c] "é😀" \\é]',
];

describe('EDN forms', () => {
  test('EDN forms equal the printed ones, with any separators', () => {
    fc.assert(
      fc.property(ednValue, fc.array(gap, { minLength: 1, maxLength: 5 }), (value, gaps) => {
        const text = gaps.join('') + print(value, gaps) + gaps[0];
        expect(parse(text)).toEqual(value);
        skip(text);
        expect(open(text).readVerbatim()).toBe(print(value, gaps));
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[string, EdnValue]>([
    ['nil', null],
    ['true', true],
    [' ,false;', false],
    ['nilly', symbol('nilly')],
    ['-', symbol('-')],
    ['->x', symbol('->x')],
    ["a'/b#c", symbol("a'/b#c")],
    ['+7', 7],
    ['-0', 0],
    ['7N', 7],
    ['9007199254740992', 9007199254740992n],
    ['-9223372036854775809N', -9223372036854775809n],
    ['0.10', number('0.10')],
    ['-1.', number('-1.')],
    ['1e-9', number('1e-9')],
    ['1.0M', number('1.0M')],
    ['-22/7', number('-22/7')],
    [':a', keyword('a')],
    [':a.b/c', keyword('a.b/c')],
    [':1', keyword('1')],
    [':été', keyword('été')],
    ['"\\n\\t\\r\\b\\f\\"\\\\\\u00e9\\uD83D\\ude00"', '\n\t\r\b\f"\\é😀'],
    ['"two\nlines\u0000"', 'two\nlines\u0000'],
    ['\\a', character('a')],
    ['\\u', character('u')],
    ['\\u00e9', character('é')],
    ['\\newline', character('\n')],
    ['\\(', character('(')],
    ['[\\[\\]\\;\\"\\\\]', vector(character('['), character(']'), character(';'), character('"'), character('\\'))],
    ['\\😀', character('😀')],
    ['[1"a":b\\c()]', vector(1, 'a', keyword('b'), character('c'), list())],
    ['#{1 #{}}', set(1, set())],
    ['{:a 1 [2] {}}', map([keyword('a'), 1], [vector(2), map()])],
    ['{1 2 1 3}', map([1, 2], [1, 3])],
    ['[#_ a #_#_ b c 1 #_ [#_ d e]]', vector(1)],
    [
      '[#inst "2025" #a.b/c {:d #_ e 1}]',
      vector(
        { kind: 'tagged', tag: 'inst', text: '#inst "2025"' },
        { kind: 'tagged', tag: 'a.b/c', text: '#a.b/c {:d #_ e 1}' },
      ),
    ],
    ['#a #_ x #b ; c\n y', { kind: 'tagged', tag: 'a', text: '#a #_ x #b ; c\n y' }],
  ])('EDN forms include %j', (text, value) => {
    expect(parse(text)).toEqual(value);
    skip(text);
  });

  test.each([
    ['', 'found the end of the input where a form was expected'],
    [' ; only\n #_ this', 'found the end of the input where a form was expected'],
    [']', "found ']' where a form was expected"],
    ['1 2', "found '2' where the end was expected"],
    ['[1 2', "found the end of the input where a form or ']' was expected"],
    ['[1 2)', "found ')' where a form or ']' was expected"],
    ['(1 2', "found the end of the input where a form or ')' was expected"],
    ['#{1 ]', "found ']' where a form or '}' was expected"],
    ['{:a 1', "found the end of the input where a key or '}' was expected"],
    ['{:a 1)', "found ')' where a key or '}' was expected"],
    ['{:a}', "found '}' where a value was expected"],
    ['{:a 1 :b', 'found the end of the input where a value was expected'],
    ['[#_]', "found ']' where a form was expected"],
    ['[#_ #_ a]', "found ']' where a form was expected"],
    ['[#a]', "found ']' where a form was expected"],
    ['#a', 'found the end of the input where a form was expected'],
    ['#', "found the end of the input where a tag, '{' or '_' after '#' was expected"],
    ['# a', "found a space where a tag, '{' or '_' after '#' was expected"],
    ['##Inf', "found '#' where a tag, '{' or '_' after '#' was expected"],
    ['#:a{:b 1}', "found ':a' where a tag, '{' or '_' after '#' was expected"],
    ['#"a+"', "found \"a+\" where a tag, '{' or '_' after '#' was expected"],
    ['^{:a 1} b', "found '^' where a form without metadata was expected"],
    ['@a', "found '@' where a form was expected"],
    ['a@b', "found '@' where white space or a bracket was expected"],
    ['a\u0001', 'found byte 0x01 where white space or a bracket was expected'],
    [':', "found ':' where a keyword was expected"],
    [': a', "found ':' where a keyword was expected"],
    ['::a', "found '::a' where a keyword was expected"],
    ['012', "found '012' where a number without leading zeros was expected"],
    ['0x10', "found '0x10' where a number was expected"],
    ['1a', "found '1a' where a number was expected"],
    ['1NN', "found '1NN' where an integer was expected"],
    ['1.5.2', "found '1.5.2' where a number was expected"],
    ['1/02', "found '1/02' where a number was expected"],
    ['01.5', "found '01.5' where a number was expected"],
    ['"a', 'found the end of the input where a closing quote was expected'],
    ['"\\q"', "found '\\q' where an escape such as \\n or \\u0041 was expected"],
    ['"\\/"', "found '\\/' where an escape such as \\n or \\u0041 was expected"],
    ['"\\uD800"', "found '\"' where the second half of a surrogate pair was expected"],
    ['\\', 'found the end of the input where a character was expected'],
    ['\\ a', 'found a space where a character was expected'],
    ['\\ab', "found '\\ab' where a character such as \\a, \\newline or \\u0041 was expected"],
    ['\\u12', "found '\\u12' where a character such as \\a, \\newline or \\u0041 was expected"],
    ['\\u12g4', "found 'g4' where a hexadecimal digit was expected"],
    ['\\uD800', "found '\\uD800' where a whole character was expected"],
  ])('EDN forms do not include %j', (text, message) => {
    expect(problemOf(() => parse(text)).replace(/^line \d+, column \d+: /, '')).toBe(message);
    expect(problemOf(() => skip(text))).toBe(problemOf(() => parse(text)));
  });

  test('EDN forms are placed by line and column', () => {
    expect(problemOf(() => parse('{:a 1\n ; b\n :c [2\n  )}'))).toBe(
      "line 4, column 3: found ')' where a form or ']' was expected",
    );
  });

  test.each([
    [[0x3a, 0xff], 2],
    [[0x22, 0xc3, 0x22], 2],
    [[0x5c, 0xc3, 0x20], 2],
  ])('EDN forms are UTF-8: %j', (bytes, column) => {
    const input = Uint8Array.from(bytes);
    for (const run of [parse, skip]) {
      expect(outcome(() => run(input))).toMatchObject({ column, expected: 'valid UTF-8' });
    }
  });

  test.each(DOCUMENTS)('EDN forms are never complete before their end: %s', (document) => {
    const bytes = toBytes(document);
    parse(bytes);
    for (let end = 0; end < bytes.length; end++) {
      expect(outcome(() => parse(bytes.slice(0, end)))).toBeInstanceOf(SyntaxProblem);
      expect(outcome(() => skip(bytes.slice(0, end)))).toBeInstanceOf(SyntaxProblem);
    }
  });

  test('EDN forms of random bytes are read and skipped alike', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .array(fc.constantFrom(...toBytes('[](){}#_^\\";: ,\nnil-+0/1.eENMau')), { maxLength: 30 })
        .map((choice) => Uint8Array.from(choice)),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        const parsed = outcome(() => void parse(input));
        const skipped = outcome(() => skip(input));
        expect(skipped instanceof SyntaxProblem).toBe(parsed instanceof SyntaxProblem);
      }),
      { numRuns: 10_000 },
    );
  });

  test('EDN forms may be nested 1000 deep, and no deeper', () => {
    const nested = `${'[{:a '.repeat(500)}1${'}]'.repeat(500)}`;
    parse(nested);
    skip(nested);
    skip('#_ '.repeat(1000) + 'a '.repeat(1001));
    for (const opener of ['[', '(', '{', '#{', '{:a ', '[#_ ', '#_ ', '#a ', '#_#a ', '{[#_']) {
      for (const run of [parse, skip]) {
        expect(problemOf(() => run(opener.repeat(1_000_000)))).toMatch(/nesting at most 1000 deep was expected$/);
      }
    }
  });

  test('EDN forms may be huge tokens', () => {
    const digits = '1'.repeat(3_000_000);
    expect(parse(digits.replace('1', 'x'))).toEqual(symbol(digits.replace('1', 'x')));
    expect(problemOf(() => parse(`${digits}.5`))).toMatch(/where a number of at most 4096 characters was expected$/);
    expect(problemOf(() => parse(digits))).toMatch(/where an integer of at most 4096 digits was expected$/);
  });
});

describe('EDN pulled piece by piece', () => {
  interface Operation {
    type: string;
    process: number;
    value: string[];
  }

  function operation(text: string): Operation {
    const found: Operation = { type: '', process: -1, value: [] };
    open(text).beginMap();
    while (reader.nextElement()) {
      const key = reader.readKeyword();
      if (key === 'type') found.type = reader.readKeyword();
      else if (key === 'process') found.process = reader.readSafeInteger();
      else if (key !== 'value') reader.skipValue();
      else {
        reader.beginSequence();
        while (reader.nextElement()) {
          reader.beginSequence();
          let micro = reader.readKeyword();
          reader.readInteger();
          micro += ` ${reader.integer()}`;
          if (reader.peek() === 'nil') reader.readNull();
          else if (reader.peek() === 'number') reader.readInteger();
          else {
            reader.beginSequence();
            while (reader.nextElement()) {
              reader.readInteger();
              micro += `, ${reader.integer()}`;
            }
          }
          reader.endSequence();
          found.value.push(micro);
        }
      }
    }
    reader.finish();
    return found;
  }

  test('EDN pulled piece by piece gives the requested values', () => {
    expect(
      operation(
        '{:type :ok, :error [:x "y" {:z 1}], :value [[:append 3 17] [:r 4 [1 2]] [:r -5 #{}] [:r 6 nil]] #_2 :process 4}',
      ),
    ).toEqual({ type: 'ok', process: 4, value: ['append 3', 'r 4, 1, 2', 'r -5', 'r 6'] });
  });

  test.each([
    ['[]', "line 1, column 1: found '[' where a map was expected"],
    ['\ufeff{}', 'line 1, column 1: found U+FEFF where a map was expected'],
    ['{:type "ok"}', 'line 1, column 8: found "ok" where a keyword was expected'],
    ['{type :ok}', "line 1, column 2: found 'type' where a keyword was expected"],
    ['{:type}', "line 1, column 7: found '}' where a keyword was expected"],
    ['{:process :nemesis}', "line 1, column 11: found ':nemesis' where an integer was expected"],
    ['{:process 1.5}', "line 1, column 11: found '1.5' where an integer was expected"],
    ['{:process 1/2}', "line 1, column 11: found '1/2' where an integer was expected"],
    ['{:value [[:r]]}', "line 1, column 13: found ']' where an integer was expected"],
    ['{:value [[:r 1 2 3]]}', "line 1, column 18: found '3' where ']' was expected"],
    ['{:value [[:r 1 {}]]}', "line 1, column 16: found '{' where a vector, list or set was expected"],
    ['{:value {:r 1}}', "line 1, column 9: found '{' where a vector, list or set was expected"],
    ['{:value [[:r 1 [2)]]}', "line 1, column 18: found ')' where a form or ']' was expected"],
    ['{:type :ok', "line 1, column 11: found the end of the input where a key or '}' was expected"],
    ['{:type :ok]', "line 1, column 11: found ']' where a key or '}' was expected"],
  ])('EDN pulled piece by piece refuses %s', (text, message) => expect(problemOf(() => operation(text))).toBe(message));

  test('the EDN reader distinguishes kinds', () => {
    const texts = '{ [ ( #{ :a a " \\a 1 -1 -a nil true false truth #a #_a'.split(' ');
    const kinds =
      'map vector list set keyword symbol string character number number symbol nil boolean boolean symbol tagged end';
    expect(texts.map((text) => open(text).peek())).toEqual(kinds.split(' '));
  });

  test('EDN pulled piece by piece reads the form after a tag, symbols and booleans', () => {
    open('#jepsen.history.Op{a true, b false}');
    expect(reader.readTag()).toBe('jepsen.history.Op');
    reader.beginMap();
    const entries: [string, boolean][] = [];
    while (reader.nextElement()) entries.push([reader.readSymbol(), reader.readBoolean()]);
    expect(entries).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(problemOf(() => open(':a').readTag())).toBe("line 1, column 1: found ':a' where a tag was expected");
    expect(problemOf(() => open(':a').readSymbol())).toBe("line 1, column 1: found ':a' where a symbol was expected");
    expect(problemOf(() => open('nil').readBoolean())).toBe(
      "line 1, column 1: found 'nil' where true or false was expected",
    );
    expect(problemOf(() => open('nill').readNull())).toBe("line 1, column 1: found 'nill' where nil was expected");
    expect(problemOf(() => open('a').readString())).toBe("line 1, column 1: found 'a' where a string was expected");
  });
});
