// Rows of tables in isolab's own format.
import { ReadFrom, buildReadFrom, findInternalAnomalies, toPlain, toRegisters } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { asPart } from '../src/format/recorded.ts';
import { isolab } from '../src/isolab/isolab.ts';
import { readText, writeFiles } from './support/describe-format.ts';

describe('rows of tables', () => {
  const HEADER_2 = '{"isolab":"history","version":2}';

  test('rows of tables are read back unchanged', async () => {
    const text = `${HEADER_2}
      {"rows":[["t",1,{"a":1,"b":"x"}],["t","k",{}]]}
      {"session":1,"id":"T","begin":1,"end":5,"ops":[["scan","t",["and",["=","a",1],["not",["in","b",["y"]]]],[[1,{"b":"x","a":1}]]],["scan","t",["sql","f(b)"],[[1,{"b":"x","a":1}]]],["put","t",1,null]]}
      {"session":1,"status":"aborted","ops":[["put","u",-3,{"c":true}],["get","t","k",{}],["w","plain",7]]}
      {"session":2,"status":"unknown","ops":[["scan","t",true,[["k",null]]],["count","t",true,2],["sum","t",true,"a",1],["min","t",["null","b"],"b",null],["max","u",true,"c",false]]}`;
    const history = await readText(isolab, text);
    const [bytes] = [...(await writeFiles(isolab, history)).values()];
    const written = Buffer.from(bytes!).toString();
    expect(written.startsWith('{"isolab":"history","version":2')).toBe(true);
    const back = await readText(isolab, written);
    expect(toPlain(back)).toEqual({ ...toPlain(history), initialOf: toPlain(back).initialOf });
    expect(new Map(toPlain(back).initialOf)).toEqual(new Map(toPlain(history).initialOf));
    expect(toRegisters(back).history.opKind).toEqual(toRegisters(history).history.opKind);
  });

  test.each([
    ['"hidden":["w"]', ['w']],
    ['"recorded":{"by":"isolab record"}', ['xmin']],
    ['"recorded":{"by":"isolab record"},"hidden":[]', undefined],
    ['"recorded":{"by":"another"}', undefined],
  ])('columns that no client saw are identified by %s, also in a copy', async (field, hidden) => {
    const lines = `{"session":1,"ops":[["put","t",1,{"a":1,"w":5,"xmin":6}]]}\n{"isolab":"end"}`;
    const history = await readText(isolab, `${HEADER_2.slice(0, -1)},${field}}\n${lines}`);
    expect(history.source.hiddenColumns).toEqual(hidden);
    const [bytes] = [...(await writeFiles(isolab, asPart(history))).values()];
    expect((await readText(isolab, Buffer.from(bytes!).toString())).source.hiddenColumns).toEqual(hidden);
  });

  test.each([
    '"claims":"causal"',
    '"collected":{"claims":"causal"}',
    '"claims":"causal","collected":{"claims":"prefix"}',
  ])('the claimed level is identified by %s, also in a copy', async (field) => {
    const lines = '{"session":1,"ops":[["w",1,2]]}\n{"isolab":"end"}';
    const history = await readText(isolab, `{"isolab":"history","version":1,${field}}\n${lines}`);
    expect(history.source.claims).toBe('causal');
    const [bytes] = [...(await writeFiles(isolab, history)).values()];
    expect((await readText(isolab, Buffer.from(bytes!).toString())).source.claims).toBe('causal');
  });

  test('initial rows may be on a line of their own, with columns in any order', async () => {
    const history = await readText(
      isolab,
      `${HEADER_2}
       {"rows":[["t",1,{"a":1,"b":"x"}],["t","k",{}]]}
       {"session":1,"ops":[["scan","t",["=","a",1],[[1,{"b":"x","a":1}]]],["put","t",1,null],["get","t",2,null]]}
       {"session":2,"ops":[["count","t",true,2],["max","t",true,"a",1]]}`,
    );
    const registers = toRegisters(history).history;
    expect(buildReadFrom(registers).readFrom[0]).toBe(ReadFrom.Initial);
    expect(findInternalAnomalies(registers, buildReadFrom(registers)).count).toBe(0);
  });

  test.each([
    ['["scan","t",["=","a",1],[[1,{"a":2}]]]', 'found {"a":2}, expected a row that the predicate matches'],
    ['["scan","t",true,[[1,{}],[1,{}]]]', 'found a row for the second time, expected each row once'],
    ['["put","t",1,{"a":1}],["put","t",2,{"a":"x"}]', 'expected a number, as before'],
    ['["put","t",1,{"a":1}],["scan","t",["=","a","x"],[]]', 'expected a number, as before'],
    ['["put","t",1,{"a":[1]}]', 'expected a text, a number, a boolean or null in every column'],
    ['["put","t",1,{"a":9007199254740993}]', 'expected an integer of at most 53 bits'],
    ['["put","t",null,{}]', 'expected an integer or a text'],
    ['["scan","t",["like","a","x"],[]]', 'expected one of = <> < <= > >= between in null and or not sql in front'],
    ['["scan","t",["=","b",null],[]]', 'expected ["=","column",VALUE] with a number, a text or a boolean'],
    ['["scan","t",["in","a",[1,null]],[]]', 'expected ["in","column",[VALUE,…]] with values of one type'],
    ['["sum","t",true,"a","x"]', 'expected a number or null'],
    ['["put","t",1,{}],["w","t/1",5]', 'expected rows of tables only in get, put and scan'],
    ['["put","t",1,{}],["range",null,null,[["t/1",null]]]', 'expected rows of tables only in get, put and scan'],
    ['["put","t",1,{}],["append","t/1",5]', 'expected rows of tables only in get, put and scan'],
  ])('%s is refused', async (operations, message) => {
    await expect(readText(isolab, `${HEADER_2}\n{"session":1,"ops":[${operations}]}`)).rejects.toThrow(message);
  });
});
