import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { check, convert, generate, open } from '../src/index.ts';
import { pluginAt } from '../src/plugins/index.ts';

// Where `isolab/plugin` is found: vitest knows nothing of the hooks by which it is found elsewhere, which the packed tests try.
const cache = fileURLToPath(new URL('../../../../node_modules/.cache/', import.meta.url));
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(path.join(cache, 'isolab-plugins-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const fileOf = (code: string): string => {
  const file = path.join(folder, `plugin-${++files}.mjs`);
  writeFileSync(file, code);
  return file;
};

const PREPARE = `prepare: ({ keys }) => ({ load: [], session: (_, random) => () => function* () {
  const key = random.below(keys);
  yield { kind: 'read', key };
  yield { kind: 'write', key, value: versions.next(key) };
} })`;
const workload = (more = PREPARE, before = ''): string => `import { Versions, defineWorkload } from 'isolab/plugin';
const versions = new Versions();
${before}
export default defineWorkload({ name: 'mine', title: 'mine', source: 'me', data: 'registers',
  parameters: { keys: { default: 3, help: 'number of keys', range: [1, 100] }, distribution: { default: 'uniform', help: 'distribution', choices: ['uniform'], isDistribution: true } },
  ${more} });`;

describe('a workload in a file', () => {
  test('a workload in a file is generated, with its parameters', async () => {
    const { history, committed, parameters } = await generate({
      workload: fileOf(workload()),
      parameters: { keys: '5' },
      sessions: 3,
      transactions: 10,
    });
    expect(committed).toBe(30);
    expect(parameters).toMatchObject({ keys: 5 });
    expect((await check(history, { level: 'serializable' })).verdict).toBe('satisfied');
  });

  const session = (body: string): string =>
    `prepare: () => ({ load: [], session: () => () => function* () { ${body} } })`;
  test.each([
    ['{}', /^\S+plugin-\d+\.mjs is not a workload: .*prepare is undefined, expected a function$/],
    ['prepare: () => null', /: prepare returned null, expected \{ load: \[\], session: /],
    ['prepare() { throw new Error("no") }', /was asked prepare\(.*\) and threw Error: no \(line \d+, column \d+\)$/],
    ['prepare: () => ({ load: 3, session: () => {} })', /: prepare returned \{"load":3\}, expected/],
    ['prepare: () => ({ load: [], session: () => 3 })', /: session\(\d, …\) returned 3, expected a function/],
    [
      'prepare: () => ({ load: [], session: () => () => 3 })',
      /transaction 1 of session \d is 3, expected a function\*/,
    ],
    ['prepare: () => ({ load: [3], session: () => () => 3 })', /transaction 1 of the load is 3, expected a function\*/],
    [
      'prepare: () => ({ load: [], session: () => () => () => 3 })',
      /transaction 1 of session \d returned 3, expected a generator/,
    ],
    [session('yield 3'), /request 1 of transaction 1 of session \d is 3, expected a request/],
    [session("yield { kind: 'reed', key: 1 }"), /is \{"kind":"reed","key":1\}, expected one of the kinds read, write/],
    [session("yield { kind: 'read', key: -1 }"), /expected a key that is a whole number/],
    [session("yield { kind: 'write', key: 1, value: 0 }"), /expected a value that is a whole number from 1/],
    [session("yield { kind: 'range', low: 1 }"), /expected whole numbers as low and high/],
    [
      session('null.x'),
      /was asked request 1 of transaction 1 of session \d and threw TypeError: .* \(line \d+, column \d+\)$/,
    ],
  ])('a workload in a file that is wrong says so: %s', async (more, expected) => {
    const generating = generate({
      workload: fileOf(workload(more === '{}' ? '' : more)),
      sessions: 2,
      transactions: 2,
    });
    await expect(generating).rejects.toThrow(expected);
    await expect(generating).rejects.toHaveProperty('name', 'PluginError');
  });

  test.each([
    ['parameters: 3', /parameters is 3, expected an object/],
    ['parameters: { a: 3 }', /the parameter a is 3, expected \{ default, help \}/],
    ["parameters: { a: { default: 3, help: '' } }", /the parameter a has no help/],
    ["parameters: { a: { default: [], help: 'x' } }", /the default of a is \[\], expected a string/],
    [
      "parameters: { a: { default: 'x', help: 'x', choices: ['y'] } }",
      /the choices of a are \["y"\], expected a list with its default/,
    ],
    ["parameters: { a: { default: 1, help: 'x', range: [2, 3] } }", /the range of a is \[2,3\], expected/],
    ["data: 'registry'", /data is "registry", expected one of registers, lists, rows, tables/],
    ["name: 'Mine'", /name is "Mine", expected a name in kebab-case/],
  ])('a workload in a file is looked at before it runs: %s', async (more, expected) => {
    await expect(generate({ workload: fileOf(workload(`${PREPARE}, ${more}`)) })).rejects.toThrow(expected);
  });

  test('a workload in a file does not load', async () => {
    await expect(generate({ workload: './absent.mjs' })).rejects.toThrow('There is no workload at ./absent.mjs');
    await expect(generate({ workload: fileOf('export default (') })).rejects.toThrow(/does not load: SyntaxError/);
    await expect(generate({ workload: fileOf('throw new Error("no")') })).rejects.toThrow(/does not load: Error: no/);
    await expect(generate({ workload: fileOf('export const x = 1') })).rejects.toThrow(
      /has no default export \(it exports x\)/,
    );
    await expect(generate({ workload: fileOf('import "nothing-of-the-kind"') })).rejects.toThrow(
      /does not load: .*nothing-of-the-kind/,
    );
    await expect(generate({ workload: 'generall' })).rejects.toThrow(
      'There is no workload generall; did you mean general?',
    );
  });
});

describe('a distribution in a file', () => {
  const drawing = (draw: string): string =>
    fileOf(`import { defineDistribution } from 'isolab/plugin';
export default defineDistribution({ name: 'mine', title: 'mine', draw: ${draw} });`);
  const keysDrawn = async (file: string) => {
    const parameters = { keys: '9', distribution: file };
    const { history } = await generate({ workload: 'general', parameters, sessions: 2, transactions: 5 });
    return history.keys.type.length;
  };

  test('a distribution in a file has the name of the parameter', async () => {
    expect(await keysDrawn(drawing('() => () => 4'))).toBe(1);
    expect(await keysDrawn('uniform')).toBeGreaterThan(5);
  });

  test.each([
    ['() => () => 9', /drew 9, expected a whole number from 0 to 8$/],
    ['() => () => { throw new Error("no") }', /was asked to draw one of 9 numbers and threw Error: no/],
    ['() => 3', /draw\(9, 0.5\) returned 3, expected/],
  ])('a distribution in a file that is wrong says so: %s', async (draw, expected) => {
    await expect(keysDrawn(drawing(draw))).rejects.toThrow(expected);
  });

  test('a distribution in a file is not taken where the workload draws no keys', async () => {
    const parameters = { keys: drawing('() => () => 0') };
    await expect(generate({ workload: 'general', parameters })).rejects.toThrow('expected a number from 1');
  });
});

describe('a fault in a file', () => {
  const faulty = (inject: string, more = ''): string =>
    fileOf(`import { defineFault } from 'isolab/plugin';
export default defineFault({ name: 'mine', title: 'mine', breaks: ['read-committed'], at: 'serializable', inject: ${inject}, ${more} });`);
  const verdictWith = async (file: string, rate: number) => {
    const { history } = await generate({
      workload: 'contention',
      faults: { [file]: rate },
      sessions: 4,
      transactions: 20,
    });
    return { history, verdict: (await check(history, { level: 'read-committed' })).verdict };
  };
  const lost = '({ engine, strikes }) => ({ read: (attempt, key) => strikes() ? 0 : engine.read(attempt, key) })';

  test('a fault in a file strikes as often as requested, and says so in the history', async () => {
    expect((await verdictWith(faulty(lost), 0)).verdict).toBe('satisfied');
    const { history, verdict } = await verdictWith(faulty(lost), 0.5);
    expect(verdict).toBe('violated');
    expect(history.source.database).toBe('simulated, serializable, mine 0.5');
  });

  test.each([
    ['() => 3', /inject returned 3, expected an object with some of the methods/],
    ['() => ({ reed: () => 0 })', /inject returned reed as a function, expected an object with some of the methods/],
    ["() => ({ read: () => 'x' })", /read returned "x", expected a result of engine.read/],
    ['() => ({ commit: () => 1 })', /commit returned 1, expected true if it committed, otherwise false/],
    ['() => ({ read() { throw new Error("no") } })', /was asked read\(…\) and threw Error: no/],
  ])('a fault in a file that is wrong says so: %s', async (inject, expected) => {
    await expect(verdictWith(faulty(inject), 1)).rejects.toThrow(expected);
  });

  test.each([
    ["at: 'perfect'", /at is "perfect", expected one of read-committed/],
    ["breaks: ['everything']", /breaks is \["everything"\], expected a list of levels/],
  ])('a fault in a file is looked at before it runs: %s', async (more, expected) => {
    await expect(verdictWith(faulty(lost, more), 1)).rejects.toThrow(expected);
  });
});

describe('a format in a file', () => {
  const FORMAT = `matches: () => true,
  async read(input) {
    const history = new HistoryBuilder({ format: 'mine', file: input.name, unit: 'line', opStride: 0, initial: 0n });
    for await (const { text, number } of readLines(input)) {
      if (!/^\\d+$/.test(text)) throw new FormatError(input.name, 'line ' + number, mismatch(text, 'a number'));
      history.begin(history.session(0n), number);
      history.op(OpKind.Write, history.keys.atom('x'), history.values.atom(BigInt(text)));
    }
    return history.finish();
  },
  writer: async () => ({
    losses: () => [],
    async write(history, output) {
      const sink = await output.file();
      for (const { transactions } of toPlain(history).sessions)
        for (const { operations } of transactions)
          for (const { value } of operations) await sink.write(value + '\\n');
      await sink.close();
    },
  }),`;
  const format = (more = ''): string =>
    fileOf(`import { FormatError, HistoryBuilder, OpKind, defineFormat, mismatch, readLines, toPlain } from 'isolab/plugin';
export default defineFormat({ name: 'mine', title: 'mine', layout: 'stream', fileName: '*.mine', ${FORMAT} ${more} });`);
  const history = path.join(folder, 'history.mine');
  writeFileSync(history, '7\n8\n');

  test('a format in a file is read and written', async () => {
    const opened = await open(history, { format: format() });
    expect(opened).toMatchObject({ kind: 'history', format: 'mine' });
    const target = path.join(folder, 'again.mine');
    await convert(opened, target, { to: format() });
    expect(await open(target, { format: format() })).toMatchObject({ kind: 'history' });
    await convert(opened, path.join(folder, 'history.jsonl'), { to: 'isolab' });
  });

  test('its errors name the file that it reads, and are not its own', async () => {
    const wrong = path.join(folder, 'wrong.mine');
    writeFileSync(wrong, '7\nx\n');
    await expect(open(wrong, { format: format() })).rejects.toThrow(`${wrong}, line 2: found x, expected a number`);
    await expect(open(wrong, { format: format() })).rejects.toHaveProperty('name', 'FormatError');
  });

  test.each([
    ['read: async () => 3', /returned no history: found 3, expected the result of HistoryBuilder.finish\(\)/],
    ['read: async () => ({ sessionStart: [0] })', /returned no history: a column is missing/],
    ['read() { throw new Error("no") }', /was asked to read .*history.mine and threw Error: no \(line \d+/],
    ["layout: 'tree'", /layout is "tree", expected one of stream, directory/],
    ['matches: 3', /matches is 3, expected a function/],
  ])('a format in a file that is wrong says so: %s', async (more, expected) => {
    await expect(open(history, { format: format(more) })).rejects.toThrow(expected);
  });

  test.each([
    ['writer: async () => 3', /exports 3, expected a writer/],
    ['writer: async () => ({ losses: () => 3, write: async () => {} })', /losses\(\) returned 3, expected a list/],
    [
      'writer: async () => ({ losses: () => [], write: async () => { throw new Error("no") } })',
      /was asked to write a history and threw Error: no/,
    ],
  ])('a format in a file whose writer is wrong says so: %s', async (more, expected) => {
    const opened = await open(history, { format: format() });
    await expect(convert(opened, path.join(folder, 'out.mine'), { to: format(more) })).rejects.toThrow(expected);
  });
});

test('a file of no kind is refused with the known kinds', async () => {
  await expect(pluginAt(fileOf('export default { x: 1 }'))).rejects.toThrow(
    /exports \{"x":1\}, expected a plug-in: a checker has info and check, a workload has parameters and prepare/,
  );
});
