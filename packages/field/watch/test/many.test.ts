import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LevelName } from '@isolab/contract';
import { arbitraryHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { check, open, verify } from 'isolab';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  DEFAULTS,
  type ManySource,
  type StreamAlarm,
  filesSource,
  fileSource,
  keepInFolder,
  openMany,
  runMany,
  splitSource,
} from '../src/index.ts';
import { fileName } from '../src/many/keep.ts';
import { filesOf } from '../src/many/pattern.ts';
import { linesOf } from './lines.ts';
import { until } from './until.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HEADER = '{"isolab":"history","version":1,"initial":0}';
const add = (n: number, session = 1): string => `{"session":${session},"ops":[["r","x",${n}],["w","x",${n + 1}]]}`;
const LOST = '{"session":9,"ops":[["r","x",0],["w","x",1000000]]}';
const END = '{"isolab":"end"}';
const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

const shard = (name: string): string => join(folder, 'shards', `${name}.jsonl`);
function write(name: string, ...lines: readonly string[]): void {
  mkdirSync(join(folder, 'shards'), { recursive: true });
  appendFileSync(shard(name), textOf(lines));
}

/** Watches until the source ends, or something is the case. */
async function watch(source: ManySource, level: LevelName, isEnough?: (all: Known) => boolean, parkMs = 0) {
  const options = { ...DEFAULTS, levels: [level], batch: { transactions: 3, bytes: Infinity, ms: 1 } };
  const alarms: Pick<StreamAlarm, 'stream' | 'line'>[] = [];
  const failures: string[] = [];
  const many = await openMany(source, keepInFolder(join(folder, 'kept'), options), {
    onAlarm: (stream, { line }) => alarms.push({ stream, line }),
    onFailure: (stream, why) => failures.push(`${stream}: ${why}`),
    parkMs,
    saveMs: 20,
  });
  const stop = new AbortController();
  const over = runMany(source, many, { intervalMs: 1e9, onStatus: () => {}, signal: stop.signal });
  if (isEnough !== undefined) {
    await until(() => isEnough(many.streams.all));
    stop.abort();
  }
  await over;
  return { ...many, alarms, failures, of: (stream: string) => many.streams.all.get(stream)! };
}
type Known = Awaited<ReturnType<typeof openMany>>['streams']['all'];

const files = (isFollowed = false): ManySource =>
  filesSource([join(folder, 'shards', '*.jsonl')], { isFollowed, onNote: () => {} });
const split = (path: string, isFollowed = false): ManySource =>
  splitSource(fileSource(path, { isFollowed: () => isFollowed, onNote: () => {}, from: null }), true);

describe('many streams', () => {
  test('in files have the verdicts of their histories, wherever lines are cut, parked or not', async () => {
    const histories = fc.array(arbitraryHistory({ transactions: 8, aborted: true, unknown: true }), {
      minLength: 2,
      maxLength: 5,
    });
    const level = fc.constantFrom<LevelName>('serializable', 'snapshot-isolation', 'read-committed');
    await fc.assert(
      fc.asyncProperty(histories, level, fc.boolean(), fc.boolean(), async (drawn, asked, isParked, isSplit) => {
        rmSync(join(folder, 'kept'), { recursive: true, force: true });
        rmSync(join(folder, 'shards'), { recursive: true, force: true });
        const all = await Promise.all(drawn.map(linesOf));
        const names = all.map((_, i) => (isSplit ? `s "${i}"` : shard(String(i))));
        if (isSplit) write('all', ...interleaved(all, names));
        else for (const [i, lines] of all.entries()) write(String(i), ...lines);
        const source = isSplit ? split(shard('all')) : files();
        const watched = await watch(source, asked, undefined, isParked ? 0 : 1e9);
        expect(watched.failures).toEqual([]);
        for (const [i, history] of drawn.entries()) {
          const { verdict } = await check(history, { level: asked, checker: 'weave', allowVacuous: true });
          if (verdict === 'unknown') continue;
          const { status, ending } = watched.of(names[i]!);
          expect(status!.levels[asked]).toBe(verdict === 'violated' ? 'violated' : 'stands');
          expect([status!.transactions, ending]).toEqual([all[i]!.length - 1, 'ended']);
          expect(watched.alarms.filter(({ stream }) => stream === names[i]!)).toHaveLength(
            verdict === 'violated' ? 1 : 0,
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  /** Lines of several streams in one file, one of each in turn. */
  function interleaved(all: readonly (readonly string[])[], names: readonly string[]): string[] {
    const lines: string[] = [];
    for (let i = 0; i < Math.max(...all.map(({ length }) => length)); i++)
      for (const [s, some] of all.entries())
        if (i < some.length) lines.push(some[i]!.replace('{', `{"stream":${JSON.stringify(names[s])},`));
    return lines;
  }

  test('many streams are parked while nothing comes, and continue where they were', async () => {
    write('a', HEADER, add(0));
    write('b', HEADER, add(0), LOST);
    let isAdded = false;
    const watched = await watch(files(true), 'serializable', (all) => {
      const [a, b] = [all.get(shard('a')), all.get(shard('b'))];
      const isQuiet = a?.isOpen === false && b?.isOpen === false;
      if (isQuiet && !isAdded) {
        write('a', add(1), LOST);
        write('c', HEADER, add(0), END);
        isAdded = true;
      }
      return isAdded && a?.status?.transactions === 3 && all.get(shard('c'))?.ending === 'ended';
    });
    expect(watched.alarms.toSorted((a, b) => (a.stream < b.stream ? -1 : 1))).toEqual([
      { stream: shard('a'), line: 4 },
      { stream: shard('b'), line: 3 },
    ]);
    const { files: evidence } = watched.of(shard('a')).status!.alarms[0]!;
    const certificate = JSON.parse(readFileSync(evidence!.certificate, 'utf8'));
    expect(verify(await open(evidence!.history), certificate)).toMatchObject({ ok: true });
  });

  test('many streams continue after a restart without repeating an alarm or judging a line twice', async () => {
    write('a', HEADER, add(0), LOST);
    write('b', HEADER, add(0));
    const before = await watch(files(true), 'serializable', (all) =>
      ['a', 'b'].every((name) => all.get(shard(name))?.isOpen === false && all.get(shard(name))?.status?.transactions),
    );
    expect(before.alarms).toHaveLength(1);
    write('b', add(1), LOST);
    const after = await watch(files(), 'serializable');
    expect(after.alarms).toEqual([{ stream: shard('b'), line: 4 }]);
    expect(after.of(shard('a')).status).toMatchObject({ transactions: 2, levels: { serializable: 'violated' } });
    expect(after.of(shard('b')).status).toMatchObject({ transactions: 3, levels: { serializable: 'violated' } });
  });

  test('fail one by one', async () => {
    write('bad', HEADER, 'garbage');
    write('good', HEADER, add(0), END);
    writeFileSync(shard('empty'), '');
    const watched = await watch(files(), 'serializable');
    expect(watched.failures).toEqual([expect.stringMatching(/bad\.jsonl, line 2.*found 'garbage'/)]);
    expect(watched.of(shard('good'))).toMatchObject({ ending: 'ended', failure: null });
    expect(watched.of(shard('empty')).ending).toBe('cut off');
    expect(watched.statuses.now()).toMatchObject({ streams: 3, failed: 1, levels: { serializable: { stands: 2 } } });
  });

  test('many streams end one by one, and all of them with their source', async () => {
    const mux = (stream: string, line: string): string => line.replace('{', `{"stream":"${stream}",`);
    write('all', HEADER, mux('a', add(0)), mux('b', add(0)), mux('a', END), mux('b', add(1)), END);
    const watched = await watch(split(shard('all')), 'serializable');
    expect(
      [...watched.streams.all.values()].map(({ name, ending, status }) => [name, ending, status!.transactions]),
    ).toEqual([
      ['a', 'ended', 1],
      ['b', 'ended', 2],
    ]);
    const log = readFileSync(join(folder, 'kept/streams/b/log/000000000001.jsonl'), 'utf8');
    expect(log).toBe(textOf([HEADER, add(0), add(1), END]));
  });

  test('many streams do not end well where a line is cut off', async () => {
    write('all', HEADER, '{"stream":"a","session":1,"ops":[]}', '{"stream":"b","session":1,"ops":[]}');
    appendFileSync(shard('all'), '{"stream":"b","sess');
    const watched = await watch(split(shard('all')), 'serializable');
    expect([watched.of('a').ending, watched.of('b').ending]).toEqual(['ended', 'cut off']);
  });

  test.each([
    ['{"session":1,"ops":[]}', 'line 2: found {"session":1,"ops":[]}, expected {"stream":…,"session":…}, with the'],
    ['{"stream":"a"}', 'line 2: found {"stream":"a"}, expected'],
    ['garbage', 'line 2: found garbage, expected'],
  ])('%s is of no stream', async (line, message) => {
    write('all', HEADER, line);
    await expect(watch(split(shard('all')), 'serializable')).rejects.toThrow(message);
  });
});

describe('streams of lines that are not sent again', () => {
  /** Streams as from standard input. */
  const sent = (...lines: readonly string[]): ManySource =>
    splitSource(
      {
        name: 'standard input',
        hasEnd: false,
        async *chunks() {
          yield { bytes: Buffer.from(textOf(lines)), position: null };
        },
      },
      false,
    );
  const of = (stream: string, line: string): string => line.replace('{', `{"stream":"${stream}",`);

  test('streams of lines that are not sent again are all there after a restart, each with one header in its log', async () => {
    await watch(sent(HEADER, of('a', add(0)), of('b', add(0))), 'serializable');
    const watched = await watch(sent(HEADER, of('a', LOST)), 'serializable');
    expect(watched.alarms).toEqual([{ stream: 'a', line: 3 }]);
    expect(watched.of('b')).toMatchObject({ ending: 'ended', status: { transactions: 1 } });
    const log = readFileSync(join(folder, 'kept/streams/a/log/000000000001.jsonl'), 'utf8');
    expect(log).toBe(textOf([HEADER, add(0), LOST]));
  });
});

test('a pattern names files as a shell does', () => {
  for (const name of ['a1.jsonl', 'b2.jsonl', 'c.txt', '.hidden.jsonl', 'a+.jsonl']) {
    mkdirSync(join(folder, 'x1'), { recursive: true });
    writeFileSync(join(folder, 'x1', name), '');
  }
  const named = (pattern: string): string[] =>
    filesOf(join(folder, pattern)).map((path) => path.slice(folder.length + 1));
  expect(named('x1/*.jsonl')).toEqual(['x1/a+.jsonl', 'x1/a1.jsonl', 'x1/b2.jsonl']);
  expect(named('x?/[a-b][0-9].jsonl')).toEqual(['x1/a1.jsonl', 'x1/b2.jsonl']);
  expect(named('x?/[!a]*')).toEqual(['x1/b2.jsonl', 'x1/c.txt']);
  expect(named('x1/a+.*')).toEqual(['x1/a+.jsonl']);
  expect(named('none/*')).toEqual([]);
});

test('every stream has a folder of its own', () => {
  const names = ['a/b', 'a%2Fb', '..', '.', 'A*', 'ü', 'x'.repeat(300), `${'x'.repeat(300)}y`];
  expect(new Set(names.map(fileName)).size).toBe(names.length);
  for (const name of names) {
    expect(fileName(name)).toMatch(/^[\w%-]{1,200}$/);
    mkdirSync(join(folder, fileName(name)));
    expect(existsSync(join(folder, fileName(name)))).toBe(true);
  }
});
