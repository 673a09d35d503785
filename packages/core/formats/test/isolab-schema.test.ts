import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromPlain } from '@isolab/history';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FormatError } from '../src/files/errors.ts';
import { isolab } from '../src/isolab/isolab.ts';
import { arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { readText, writeFiles } from './support/describe-format.ts';
import { EVERYTHING } from './support/everything.ts';

const schema = JSON.parse(readFileSync(new URL('../schema/history.schema.json', import.meta.url), 'utf8')) as object;
const validate = new Ajv2020({ strict: false, strictSchema: true }).compile(schema);
const HEADER = '{"isolab":"history","version":1}';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** JSON.parse rounds long integers; the schema bounds times, which stay below 2^53 in these tests. */
const linesOf = (text: string): Json[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

describe('the schema accepts every line', () => {
  test('the schema accepts every line that is written', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryHistory(EVERYTHING), async (plain) => {
        const [bytes] = [...(await writeFiles(isolab, fromPlain(plain))).values()];
        for (const line of linesOf(Buffer.from(bytes!).toString()))
          if (!validate(line)) expect(validate.errors).toEqual([]);
      }),
    );
  });

  test('the schema accepts every line of every dataset', () => {
    const folder = fileURLToPath(new URL('../../../../datasets/', import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
    const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
    const ours = texts.filter((text) => text.startsWith('{"isolab"'));
    expect(ours.length).toBeGreaterThan(30);
    for (const line of ours.flatMap(linesOf)) if (!validate(line)) expect(validate.errors).toEqual([]);
  });
});

test.each([
  ['a header of another version', { isolab: 'history', version: 3 }],
  ['a recording of nobody', { isolab: 'history', version: 1, recorded: { redacted: false } }],
  ['a recording that is a word', { isolab: 'history', version: 1, recorded: 'isolab record' }],
  ['a collection that is a word', { isolab: 'history', version: 1, collected: 'isolab collect' }],
  ['a predicate that is none', { session: 1, ops: [['scan', 't', ['=', 'a'], []]] }],
  ['a row that is none', { session: 1, ops: [['put', 't', 1, 5]] }],
  ['a table with a slash', { session: 1, ops: [['put', 'a/b', 1, {}]] }],
  ['a negative count', { session: 1, ops: [['count', 't', true, -1]] }],
  ['a sum without a column', { session: 1, ops: [['sum', 't', true, 4]] }],
  ['a transaction without a session', { ops: [] }],
  ['an unknown operation', { session: 1, ops: [['x', 1, 2]] }],
  ['a read without a value', { session: 1, ops: [['r', 1]] }],
  ['a fraction', { session: 1, ops: [['r', 1, 2.5]] }],
  ['an increment by a text', { session: 1, ops: [['inc', 'n', 'x']] }],
  ['an unknown status', { session: 1, status: 'done' }],
  ['a remark that does not fit', { session: 1, ops: [['w', 1, 2, 'failed']] }],
  ['an outcome without a session', { outcome: 'committed' }],
  ['an outcome that is none', { outcome: 'unknown', session: 1 }],
  ['an outcome within a transaction', { session: 1, ops: [], outcome: 'committed' }],
  ['an unknown mark', { isolab: 'over' }],
  ['a row that is too long', { session: 1, ops: [['range', 1, 2, [[1, 2, 'dead', 3]]]] }],
])('the schema rejects %s, as the reader does', async (_, line) => {
  expect(validate(line)).toBe(false);
  const text = 'isolab' in line ? JSON.stringify(line) : `${HEADER}\n${JSON.stringify(line)}`;
  await expect(readText(isolab, text)).rejects.toThrow(FormatError);
});

describe('the schema treats a line with one mistake as the reader does', () => {
  /** Lines of all kinds; each is read behind a header and an open transaction of session A. */
  const LINES =
    linesOf(`{"isolab":"history","version":2,"database":"d","level":"causal","levels":{"rc":"read-committed"},"initial":0,"initialOf":[["x",1],[{"keyword":"k"},null]],"times":"events","drift":3,"sessions":["A",2],"tables":["t"],"recorded":{"by":"me","redacted":true,"clock":"c"},"source":{"format":"f","files":["a"],"unit":"line","opStride":1}}
{"isolab":"history","version":1,"collected":{"run":1}}
{"session":"A","id":"t","number":4,"status":"committed","begin":1,"begun":2,"committing":2,"end":2,"startTs":3,"commitTs":4,"at":7,"level":"serializable","steps":[[0,1]],"shapes":[[0,"SELECT 1"]],"ops":[["r","x",1,{"version":3}],["r","l",[1,{"literal":"1.5"}]],["r","y",{"unknown":"value"}],["r","l",{"unknown":"list"}],["w","x",null],["append","l",3]],"opsAt":[1,2,3,4,5,6]}
{"session":2,"ops":[["cas","x",1,2,"failed"],["insert",1,null,2,"tombstone"],["delete",1,{"unknown":"value"},2],["range",null,9,[[1,2],[1,2,"dead"]]]]}
{"session":2,"ops":[["get","t",1,{"a":1,"b":"x","c":true,"d":null}],["put","t","k",null],["scan","t",["and",["=","a",1],["or",["not",["null","b"]],["in","b",["x","y"]]],["between","a",0,5],["sql","f(a)"]],[[1,{"a":1,"b":"x"}],[2,null]]],["count","t",true,3],["sum","t",["<=","a",3],"a",4],["max","t",true,"b",null]]}
{"rows":[["t",1,{"a":1}],["t","k",{"b":"x"}]]}
{"outcome":"committed","session":"A","end":9}
{"isolab":"end"}
{"isolab":"resumed"}
{"isolab":"fault","id":1,"kind":"kill","node":0,"delayMs":5,"begin":3}
{"isolab":"fault","id":1,"end":9}`);

  const WORDS = linesOf(`null\ntrue\nfalse\n0\n-1\n1.5\n""\n"a/b"\n"x"\n"committed"\n"dead"\n"failed"\n"end"\n"first"
[]\n[1]\n["=","a",1]\n["=","a"]\n["and"]\n["not"]
{}\n{"keyword":"x"}\n{"keyword":1}\n{"literal":"x","keyword":"x"}\n{"unknown":"value"}\n{"unknown":"list"}
{"version":1}\n{"version":"x"}\n{"a":{"b":1}}\n{"":1}\n9007199254740992\n{"a":9007199254740992}`);

  /** Every place below a value, the value itself first. */
  function* placesIn(value: Json, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
    yield path;
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value))
      yield* placesIn(member, [...path, Array.isArray(value) ? Number(name) : name]);
  }

  /** Changes of an element or field: gone, there twice, or another value. */
  function changed(value: Json, path: readonly (string | number)[], change: (old: Json) => Json[] | null): Json {
    const [name, ...rest] = path;
    if (name === undefined) return change(value)?.[0] ?? null;
    if (Array.isArray(value)) {
      const at = name as number;
      const now = rest.length > 0 ? [changed(value[at]!, rest, change)] : (change(value[at]!) ?? []);
      return value.toSpliced(at, 1, ...now);
    }
    const fields = Object.entries(value as { [name: string]: Json }).flatMap(([field, old]) => {
      if (field !== name) return [[field, old] as const];
      const now = rest.length > 0 ? [changed(old, rest, change)] : (change(old) ?? []);
      return now.slice(0, 1).map((other) => [field, other] as const);
    });
    return Object.fromEntries(fields);
  }

  /** Mistakes that only the whole file shows, or that need more than a schema. */
  const BEYOND_SCHEMA = [
    'found an outcome without a transaction',
    'found a row for the second time',
    /expected a row that the predicate matches$/,
    /expected a (string|number|boolean), as before$/,
    /expected rows of tables only in get, put and scan$/,
    /found \d+ positions, expected one position for each operation/,
    'found the same session name twice',
    'expected "isolab": "history"',
    /found "\w+", expected "\w+", or a less similar field name/,
    'before the first transaction',
    'expected "outcome" as the first field',
    /an initial transaction that commits and only writes/,
    /a collection that failed/,
    'found a transaction that ends before it begins',
    /found "\w+" before "\w+", expected/,
  ];

  test('the reader and the schema accept the same lines', async () => {
    const disagreements: object[] = [];
    let [accepted, rejected, beyond] = [0, 0, 0];
    for (const line of LINES) {
      for (const path of placesIn(line)) {
        const changes: ((old: Json) => Json[] | null)[] = [() => null, (old) => [old, old]];
        for (const change of [...changes, ...WORDS.map((word) => () => [word])]) {
          const mutant = changed(line, path, change);
          const text = JSON.stringify(mutant);
          const isHeader = (line as { isolab?: Json }).isolab === 'history';
          const context = `{"isolab":"history","version":2,"source":{}}\n{"session":"A","status":"unknown"}\n`;
          const why = await readText(isolab, isHeader ? `${text}\n` : `${context}${text}\n`).then(
            () => null,
            (error: unknown) => {
              if (error instanceof FormatError) return error.message;
              throw error;
            },
          );
          if (validate(mutant) === (why === null)) {
            if (why === null) accepted++;
            else rejected++;
          } else if (why !== null && BEYOND_SCHEMA.some((known) => new RegExp(known).test(why))) beyond++;
          else disagreements.push({ line: text, reader: why ?? 'accepts it' });
        }
      }
    }
    expect(disagreements).toEqual([]);
    expect(Math.min(accepted, rejected, beyond)).toBeGreaterThan(50);
  });
});
