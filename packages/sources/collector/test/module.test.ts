import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { describe, expect, test, vi } from 'vitest';
import { processIdOf } from '@isolab/engines';
import { type CollectorOptions, collect, driverFor } from '../src/index.ts';
import { readBack } from './fake.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-module-'));
const example = fileURLToPath(new URL('../examples/memory-driver.mjs', import.meta.url));
let files = 0;

async function run(address: string, workload = 'general', given: Partial<CollectorOptions> = {}) {
  const driver = await driverFor(address);
  const database = await driver.open(address, { connectMs: 2000 });
  const found = findWorkload(workload)!;
  const path = join(folder, `${files++}.jsonl`);
  try {
    const parameters = resolveParameters(found, workload === 'general' ? { keys: '5', operations: '3' } : {});
    const options = { database, isolation: driver.isolations.at(-1)!, workload: found, path, seed: 1, parameters };
    await collect({ ...options, sessions: 3, transactions: 5, connectMs: 2000, stallMs: 700, ...given });
  } finally {
    await database.close();
  }
  return { path, history: await readBack(path) };
}

/** The example, with something else in it. */
function changed(name: string, from: string, to: string): string {
  const code = readFileSync(example, 'utf8');
  expect(code).toContain(from);
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, code.replace(from, to));
  return `module:${path}`;
}

const soon = async (running: Promise<unknown>): Promise<string> => {
  const begin = performance.now();
  const message = await running.then(
    () => 'it went well',
    (error: Error) => error.message,
  );
  expect(performance.now() - begin).toBeLessThan(9_000);
  return message;
};

describe('a module of one’s own', () => {
  test.each(['general', 'list-append', 'contention'])('the example serves %s, and reports aborts', async (workload) => {
    const { history } = await run(`module:${example}`, workload, { transactions: 40 });
    expect(history.source.database).toBe('memory 1.0');
    const index = buildReadFrom(history);
    expect(findInternalAnomalies(history, index).count).toBe(0);
    expect([...index.readFrom].filter((from) => from === -2)).toEqual([]);
    if (workload === 'contention') expect(history.txnStatus.length).toBeGreaterThan(120); // some were refused
  });

  test('a package is found from the working directory, with its options', async () => {
    const place = join(folder, 'node_modules', 'its-driver');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), '{"name":"its-driver","type":"module","exports":"./driver.js"}');
    const options =
      "open({ options, sessionSetup }) { if (options.size !== '7') throw new Error(`size ${options.size}`);";
    const code = readFileSync(example, 'utf8').replace('open() {', options);
    writeFileSync(join(place, 'driver.js'), code);
    const here = vi.spyOn(process, 'cwd').mockReturnValue(folder);
    try {
      await run('module:its-driver?size=7');
      await expect(run('module:its-driver?size=8')).rejects.toThrow('its-driver was asked open(');
      await expect(run('module:no-such-driver')).rejects.toThrow(
        /package no-such-driver was not found from .*npm install/,
      );
    } finally {
      here.mockRestore();
    }
  });

  test.each([
    ['no file', './no-such.mjs?port=1', /The driver .\/no-such.mjs does not exist: no file/],
    ['no file of the module', 'module:./no-such.mjs', /The driver .\/no-such.mjs does not exist: no file/],
    ['nothing', 'module:', 'module: needs a file or a package'],
  ])('%s is reported', async (_, address, message) => {
    await expect(run(address)).rejects.toThrow(message);
  });

  test.each([
    [
      'no default export',
      'export default {',
      'export const driver = {',
      'it has no default export; expected export default',
    ],
    ['a syntax error', 'export default {', 'export default {{', 'was asked for its description: Unexpected token'],
    ['no title', "title: 'Memory'", "name: 'Memory'", 'is not a driver: its title is undefined, expected a name'],
    [
      'a level that nobody knows',
      "'snapshot-isolation'",
      "'quite good'",
      'its isolation "snapshot" claims "quite good"',
    ],
    ['neither data nor a dialect', "['registers', 'lists']", 'undefined', 'its data are undefined, expected some of'],
    ['data of another kind', "['registers', 'lists']", "['graphs']", 'its data are ["graphs"], expected some of'],
    ['no connect', 'connect: ()', 'connects: ()', 'the result of open has no method connect'],
    ['no rollback', 'rollback() {}', 'undo() {}', 'the result of connect has no method rollback'],
    [
      'no method for what is asked',
      'read(key) {',
      'get(key) {',
      /read\(\d\): the result of connect has no method read/,
    ],
    [
      'an answer of text',
      'return this.writes',
      "return 'x' + this.writes",
      /was asked {"kind":"read",.*} and answered "x(undefined|\d+)", expected a whole number/,
    ],
    [
      'a function as an answer',
      'return this.writes',
      'return () => 1; this.writes',
      /read\(\d\): it returned a value that is not plain data/,
    ],
    [
      'words in place of an error',
      'const version = ++',
      "return { aborted: 'no' }; const version = ++",
      /commit\(\) and answered {"aborted":"no"}, expected nothing/,
    ],
    ['an error that is none', 'const version = ++', 'throw null; const version = ++', 'says error: null'],
    [
      'an exit',
      'const version = ++',
      'if (this.store.version > 9) process.exit(4); const version = ++',
      /ended with exit code 4 while it was asked \w+\(.*\); expected an answer/,
    ],
    [
      'an exit while it loads',
      'const conflict',
      'process.exit(5); const conflict',
      'ended with exit code 5 while it was asked for its description',
    ],
    [
      'a failure nobody waits for',
      'const version = ++',
      "if (this.store.version > 9) setTimeout(() => { throw new Error('later') }); const version = ++",
      'failed outside a request: later',
    ],
    [
      'a message of its own',
      'const version = ++',
      "process.send('hello'); const version = ++",
      'sent "hello" without a request',
    ],
    [
      'no answer to commit',
      'const version = ++',
      'if (this.store.version > 9) return new Promise(() => {}); const version = ++',
      /answered no session for 0.7 seconds: .*was asked commit\(\) [\d.]+ seconds ago and has not answered/,
    ],
    [
      'a loop without end',
      'const version = ++',
      'if (this.store.version > 9) for (;;); const version = ++',
      /answered no session for 0.7 seconds: .* was asked/,
    ],
    [
      'no answer to prepare',
      '=> void (keep',
      '=> new Promise(() => {}) ?? (keep',
      /create the tables within 0.7 seconds: .*was asked prepare\("registers", false\)/,
    ],
    [
      'no answer to connect',
      'connect: () => new Session(store)',
      'connect: () => new Promise(() => {})',
      'did not answer connect("snapshot") within 2 seconds',
    ],
    [
      'no answer to open',
      'open() {',
      'async open() { await new Promise(() => {});',
      'did not answer open({"options":{},"sessionSetup":[]}) within 2 seconds',
    ],
    ['a refusal to prepare', '=> void (keep', "=> Promise.reject(conflict('busy')) ?? (keep", 'says aborted, "busy"'],
  ] as const)('%s is reported, and nothing wrong is recorded', async (what, from, to, message) => {
    const address = changed(what.replaceAll(/\W/g, '-'), from, to);
    const said = await soon(run(address));
    expect(said).toMatch(message);
    expect(said).toContain(what.replaceAll(/\W/g, '-')); // it names the module
    const path = join(folder, `${files - 1}.jsonl`);
    if (!existsSync(path)) return;
    const history = await readBack(path);
    expect([...buildReadFrom(history).readFrom].filter((writer) => writer === -2)).toEqual([]);
  });

  test('its process ends with the collection', async () => {
    const note = join(folder, 'pid');
    const save = `(await import('node:fs')).writeFileSync(${JSON.stringify(note)}, String(process.pid)); const conflict`;
    await run(changed('pid', 'const conflict', save));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([null, 'zombie']).toContain(processIdOf(Number(readFileSync(note, 'utf8'))).started);
  });

  test('a lost connection is made again', async () => {
    const lose =
      "if (this.store.version === 9 && this.store.version++) throw Object.assign(new Error('gone'), { outcome: 'lost' }); const version = ++";
    const { history } = await run(changed('lossy', 'const version = ++', lose));
    expect([...history.txnStatus].filter((status) => status === 2).length).toBe(1); // of unknown outcome
  });
});
