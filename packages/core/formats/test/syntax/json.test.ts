import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonReader, type JsonValue } from '../../src/syntax/json.ts';
import { SyntaxProblem } from '../../src/syntax/problem.ts';
import { outcome, problemOf, toBytes } from './helpers.ts';

const reader = new JsonReader();

function open(text: string | Uint8Array): JsonReader {
  const bytes = toBytes(text);
  reader.reset(bytes, 0, bytes.length);
  return reader;
}

function parse(text: string | Uint8Array): JsonValue {
  const value = open(text).readValue();
  reader.finish();
  return value;
}

function skip(text: string | Uint8Array): void {
  open(text).skipValue();
  reader.finish();
}

/** Expected reading of a value that JSON.stringify wrote. */
function expected(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(expected);
  if (typeof value === 'number') {
    const text = JSON.stringify(value);
    if (!/^-?\d+$/.test(text)) return { kind: 'number', text };
    return Number.isSafeInteger(value) ? Number(text) : BigInt(text);
  }
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([key, member]) => [key, expected(member)]));
  }
  return value as string | boolean | null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const DOCUMENTS = [
  '{"s":3,"id":1234,"ops":[["r",17,4711],["w",18,-90000001]],"ok":true}',
  '[{"type":"invoke","f":"txn","value":[["append",253,1],["r",255,null]],"time":1.5e-3},\n {}, []]',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00 é😀"',
  '{"a":{"b":{"c":[[[false]]]}},"":[0,-0,0.0,1e5,1E+5,1e-5]}',
  'true',
  'null',
];

describe('JSON values', () => {
  test('JSON values equal those of JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom('', ' ', '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parse(text)).toEqual(expected(JSON.parse(text)));
        skip(text);
      }),
    );
  });

  test('JSON values with any mistake are accepted exactly if JSON.parse accepts them', () => {
    const alphabet = [...'[]{}",:0123456789.eE+-\\/untrfalsbd \n\t\u0001é'];
    fc.assert(
      fc.property(
        fc.constantFrom(...DOCUMENTS),
        fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...alphabet)), { minLength: 1, maxLength: 3 }),
        (document, slips) => {
          const characters = [...document];
          for (const [place, removed, added] of slips) characters.splice(place % characters.length, removed, added);
          const text = characters.join('');
          const result = outcome(() => parse(text));
          const problem = result instanceof SyntaxProblem ? result : undefined;
          fc.pre(!/surrogate|not in the object yet/.test(problem?.expected ?? '')); // there we are stricter
          expect(problem?.message ?? 'no problem').toMatch(isJson(text) ? /^no problem$/ : /^line /);
          expect(outcome(() => skip(text))).toEqual(problem);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test.each<[string, JsonValue]>([
    [' null ', null],
    ['[true,false]', [true, false]],
    ['-0', 0],
    ['0.10', { kind: 'number', text: '0.10' }],
    ['-1.5E+300', { kind: 'number', text: '-1.5E+300' }],
    ['9007199254740993', 9007199254740993n],
    ['"\\u0041\\u00DF\\uD83D\\uDE00"', 'Aß😀'],
    ['"a longer text than a word can be: é"', 'a longer text than a word can be: é'],
    ['"\ufeff"', '\ufeff'],
    [
      '{"b":1,"10":2,"__proto__":[{}]}',
      new Map<string, JsonValue>([
        ['b', 1],
        ['10', 2],
        ['__proto__', [new Map()]],
      ]),
    ],
    ['[[],{},[[]]]', [[], new Map(), [[]]]],
  ])('JSON values include %j', (text, value) => expect(parse(text)).toEqual(value));

  test.each([
    ['', 'line 1, column 1: found the end of the input where a value was expected'],
    ['x', "line 1, column 1: found 'x' where a value was expected"],
    ['[1 2]', "line 1, column 4: found '2' where a comma or ']' was expected"],
    ['[1,\n\n 2 x]', "line 3, column 4: found 'x' where a comma or ']' was expected"],
    ['[1,]', "line 1, column 4: found ']' where a value was expected"],
    ['[,1]', "line 1, column 2: found ',' where a value was expected"],
    ['[1}', "line 1, column 3: found '}' where a comma or ']' was expected"],
    ['[1', "line 1, column 3: found the end of the input where a comma or ']' was expected"],
    ['{"a":1]', "line 1, column 7: found ']' where a comma or '}' was expected"],
    ['{"a" 1}', "line 1, column 6: found '1' where ':' was expected"],
    ['{"a":}', "line 1, column 6: found '}' where a value was expected"],
    ['{"a":1,}', "line 1, column 8: found '}' where a key in double quotes was expected"],
    ['{a:1}', "line 1, column 2: found 'a:1' where a key in double quotes was expected"],
    ['{"a":1,"a":2}', 'line 1, column 8: found "a" where a key that is not in the object yet was expected'],
    ['1 2', "line 1, column 3: found '2' where the end was expected"],
    ['nul', "line 1, column 1: found 'nul' where null was expected"],
    ['nothing', "line 1, column 1: found 'nothing' where a value was expected"],
    ['tRue', "line 1, column 1: found 'tRue' where true or false was expected"],
    ['NaN', "line 1, column 1: found 'NaN' where a value was expected"],
    ['-Infinity', "line 1, column 1: found '-Infinity' where an integer was expected"],
    ['+1', "line 1, column 1: found '+1' where a value was expected"],
    ['012', "line 1, column 1: found '012' where a number without leading zeros was expected"],
    ['-01.5', "line 1, column 1: found '-01.5' where a number without leading zeros was expected"],
    ['1.', 'line 1, column 3: found the end of the input where a digit was expected'],
    ['1.e5', "line 1, column 3: found 'e5' where a digit was expected"],
    ['1e+', 'line 1, column 4: found the end of the input where a digit was expected'],
    ['.5', "line 1, column 1: found '.5' where a value was expected"],
    ['0x10', "line 1, column 2: found 'x10' where the end was expected"],
    ['"a', 'line 1, column 3: found the end of the input where a closing quote was expected'],
    ['"a\nb"', 'line 1, column 3: found a line break where an escape for this character was expected'],
    ['"\u0000"', 'line 1, column 2: found byte 0x00 where an escape for this character was expected'],
    ['"\\x"', "line 1, column 2: found '\\x' where an escape such as \\n or \\u0041 was expected"],
    ['"\\u00g0"', "line 1, column 6: found 'g0' where a hexadecimal digit was expected"],
    ['"\\ud800"', "line 1, column 8: found '\"' where the second half of a surrogate pair was expected"],
    ['"\\ud800\\u0041"', "line 1, column 8: found '\\u0041' where the second half of a surrogate pair was expected"],
    ['"\\ude00"', "line 1, column 2: found '\\ude00' where the first half of a surrogate pair was expected"],
    ['\ufeff[]', 'line 1, column 1: found U+FEFF where a value was expected'],
    ['[é]', "line 1, column 2: found 'é' where a value was expected"],
    ["['a']", "line 1, column 2: found ''' where a value was expected"],
    ['[1]\u00a0', 'line 1, column 4: found U+00A0 where the end was expected'],
    ['[1] // no', "line 1, column 5: found '//' where the end was expected"],
  ])('JSON values do not include %j', (text, message) => expect(problemOf(() => parse(text))).toBe(message));

  test('JSON values with bytes that are not UTF-8 are refused, also if skipped', () => {
    const bytes = Uint8Array.of(0x5b, 0x22, 0x61, 0xff, 0x22, 0x5d);
    const message = 'line 1, column 4: found byte 0xff where valid UTF-8 was expected';
    expect(problemOf(() => parse(bytes))).toBe(message);
    expect(problemOf(() => skip(bytes))).toBe(message);
  });

  test.each(DOCUMENTS)('JSON values is never complete before its end: %s', (document) => {
    const bytes = toBytes(document);
    for (let end = 0; end < bytes.length; end++) {
      expect(outcome(() => parse(bytes.slice(0, end)))).toBeInstanceOf(SyntaxProblem);
      expect(outcome(() => skip(bytes.slice(0, end)))).toBeInstanceOf(SyntaxProblem);
    }
  });

  test('JSON values of random bytes are read or refused', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .array(fc.constantFrom(...toBytes('[]{}",:0-1.eE\\u ntf')), { maxLength: 40 })
        .map((list) => Uint8Array.from(list)),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        const parsed = outcome(() => parse(input)) instanceof SyntaxProblem;
        const skipped = outcome(() => skip(input)) instanceof SyntaxProblem;
        expect(parsed || !skipped).toBe(true); // equal keys are seen only by the first
      }),
      { numRuns: 5000 },
    );
  });

  test('JSON values may be nested 1000 deep, and no deeper', () => {
    const nested = `${'[{"a":'.repeat(500)}1${'}]'.repeat(500)}`;
    parse(nested);
    skip(nested);
    for (const run of [parse, skip]) {
      expect(problemOf(() => run('['.repeat(1_000_000)))).toBe(
        "line 1, column 1001: found '[' where nesting at most 1000 deep was expected",
      );
      expect(problemOf(() => run('{"a":'.repeat(1_000_000)))).toMatch(/nesting at most 1000 deep/);
    }
  });
});

/** `r` and `w` operations of a line, in the shape of the reader's own example. */
function operations(line: string): string[] {
  open(line).beginObject();
  const found: string[] = [];
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    if (key !== 'ops') {
      reader.skipValue();
      continue;
    }
    reader.beginSequence();
    while (reader.nextElement()) {
      reader.beginSequence();
      reader.expectElement('r or w');
      const kind = reader.readString();
      reader.expectElement('a key');
      reader.readInteger();
      const variable = reader.integer();
      reader.expectElement('a value');
      if (reader.peek() === 'null') reader.readNull();
      else reader.readInteger();
      found.push(`${kind}${variable}=${reader.integer()}`);
      reader.endSequence();
    }
  }
  reader.finish();
  return found;
}

describe('JSON pulled piece by piece', () => {
  test('JSON pulled piece by piece gives the requested values', () => {
    expect(operations('{"x":[{"y":[1,{}]}],"ops":[["r",17,4711], [ "w" , 18,-9 ]],"z":{}}')).toEqual([
      'r17=4711',
      'w18=-9',
    ]);
    expect(operations('{"ops":[]}')).toEqual([]);
    expect(operations('{}')).toEqual([]);
  });

  test.each([
    ['[]', "line 1, column 1: found '[' where an object was expected"],
    ['{"ops":{}}', "line 1, column 8: found '{' where an array was expected"],
    ['{"ops":[["r",1]]}', "line 1, column 15: found ']' where a value was expected"],
    ['{"ops":[["r",1,2,3]]}', "line 1, column 17: found ',' where ']' was expected"],
    ['{"ops":[[7,1,2]]}', "line 1, column 10: found '7' where a string was expected"],
    ['{"ops":[["r",null,2]]}', "line 1, column 14: found 'null' where an integer was expected"],
    ['{"ops":[["r" 1]]}', "line 1, column 14: found '1' where a comma or ']' was expected"],
    ['{"ops":[]', "line 1, column 10: found the end of the input where a comma or '}' was expected"],
  ])('JSON pulled piece by piece refuses %s', (line, message) =>
    expect(problemOf(() => operations(line))).toBe(message),
  );

  test('JSON pulled piece by piece reads booleans, and ends objects on demand', () => {
    open('{"ok":true,"no":false}').beginObject();
    expect([reader.nextKey(), reader.readBoolean(), reader.nextKey(), reader.readBoolean()]).toEqual([
      'ok',
      true,
      'no',
      false,
    ]);
    reader.endObject();
    reader.finish();
    open('{"a":1}').beginObject();
    expect(problemOf(() => reader.endObject())).toBe('line 1, column 2: found "a" where \'}\' was expected');
  });

  test('the JSON reader distinguishes kinds', () => {
    const kinds = ['{}', '[]', '""', '-1', '2', 'true', 'false', 'null', ' \n'].map((text) => open(text).peek());
    expect(kinds).toEqual(['object', 'array', 'string', 'number', 'number', 'boolean', 'boolean', 'null', 'end']);
  });

  test('JSON pulled piece by piece states its place in the file for any window', () => {
    const bytes = toBytes('#### [1,\n2,\n  x]\n');
    reader.reset(bytes, 5, bytes.length - 1, 7, 1000, 21);
    reader.beginSequence();
    expect(reader.nextElement()).toBe(true);
    expect(reader.place()).toEqual({ line: 7, column: 22, offset: 1001 });
    reader.skipValue();
    expect(reader.nextElement()).toBe(true);
    expect(reader.place()).toEqual({ line: 8, column: 1, offset: 1004 });
    expect(reader.offset).toBe(1004);
    reader.skipValue();
    const problem = outcome(() => reader.nextElement() && reader.readInteger());
    expect(problem).toMatchObject({ code: 'syntax-problem', line: 9, column: 3, offset: 1009, found: "'x'" });
    reader.reset(bytes, 5, 8, 3);
    reader.beginSequence();
    reader.nextElement();
    reader.skipValue();
    expect(problemOf(() => (reader.reset(bytes, 9, 11, 3), reader.readInteger(), reader.finish()))).toBe(
      "line 3, column 2: found ',' where the end was expected",
    );
    expect(problemOf(() => (reader.reset(bytes, 5, 8, 3), reader.readValue()))).toMatch(/end of the line/);
  });

  test('JSON pulled piece by piece may have thousands of different words', () => {
    const words = Array.from({ length: 5000 }, (_, i) => `w${i}${i % 3 ? '' : 'é'}`).concat([
      '',
      'w'.repeat(24),
      'w'.repeat(25),
    ]);
    const list = JSON.stringify([...words, ...words]);
    expect(parse(list)).toEqual([...words, ...words]);
  });
});
