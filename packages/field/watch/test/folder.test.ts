import { LEVELS } from '@isolab/contract';
import { arbitraryHistory, draws } from '@isolab/testkit';
import fc from 'fast-check';
import { check, open, verify } from 'isolab';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type WatchFolder, type WatchOptions, fileSource, watchFolder } from '../src/index.ts';
import { linesOf } from './lines.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inodeIn = (place: string): number => (JSON.parse(place) as { inode: number }).inode;

const { signal: NEVER } = new AbortController();

const OPTIONS: Omit<WatchOptions, 'log' | 'alarmFolder' | 'levels'> = {
  name: 'a stream',
  horizon: { transactions: 100, ms: Infinity },
  timeMs: 10_000,
  values: 'auto',
  mostReopened: Infinity,
  batch: { transactions: 1, bytes: Infinity, ms: Infinity },
};

const LOST_UPDATE = [
  '{"isolab":"history","version":1,"initial":0}',
  '{"session":1,"ops":[["r","x",0],["w","x",1]]}',
  '{"session":2,"ops":[["r","x",0],["w","x",2]]}',
];

const take = (watched: WatchFolder, lines: readonly string[]): void =>
  watched.watcher.take(Buffer.from(lines.map((line) => `${line}\n`).join('')));

describe('a killed watch', () => {
  test('a killed watch continues where it was, and has the verdict of the whole history', async () => {
    const drawn = fc.record({
      history: arbitraryHistory({ transactions: 10, aborted: true, unknown: true, times: true }),
      level: fc.constantFrom(...LEVELS.map(({ name }) => name).filter((name) => !/linear|cut/.test(name))),
      steps: fc.array(fc.constantFrom('judge', 'save', 'kill', 'take', 'take'), { minLength: 40, maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ history, level, steps }) => {
        const { verdict } = await check(history, { level, checker: 'weave', allowVacuous: true });
        fc.pre(verdict !== 'unknown');
        rmSync(folder, { recursive: true, force: true });
        const lines = await linesOf(history);
        const options = { ...OPTIONS, levels: [level] };
        let watched = await watchFolder(folder, options);
        for (const step of steps) {
          if (step === 'judge') await watched.watcher.judge();
          else if (step === 'save') {
            await watched.watcher.judge();
            await watched.save();
          } else if (step === 'kill') watched = await watchFolder(folder, options);
          else take(watched, lines.slice(watched.watcher.line, watched.watcher.line + 1));
        }
        take(watched, lines.slice(watched.watcher.line));
        const status = await watched.watcher.finish();
        watched.close();
        expect(status.levels[level]).toBe(verdict === 'violated' ? 'violated' : 'stands');
        expect(status.transactions).toBe(lines.length - 1);
      }),
      { numRuns: draws(100) },
    );
  });

  test('a killed watch continues in the file that was moved away, and then in the new ones', async () => {
    const drawn = fc.record({
      history: arbitraryHistory({ transactions: 10, unknown: true }),
      level: fc.constantFrom('causal', 'snapshot-isolation', 'serializable' as const),
      steps: fc.array(fc.constantFrom('write', 'write half', 'move', 'watch', 'watch and save'), {
        minLength: 40,
        maxLength: 40,
      }),
    });
    const path = join(folder, 'history.jsonl');
    await fc.assert(
      fc.asyncProperty(drawn, async ({ history, level, steps }) => {
        const { verdict } = await check(history, { level, checker: 'weave', allowVacuous: true });
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
        writeFileSync(path, '');
        const lines = await linesOf(history);
        let rest = lines.map((line) => `${line}\n`).join('');
        let moved = 0;
        let isSeen = false; // a watcher that is away sees one move at most
        const write = (count: number): void => {
          appendFileSync(path, rest.slice(0, count));
          rest = rest.slice(count);
        };
        const watchOn = async (isSaved: boolean): Promise<WatchFolder> => {
          const watched = await watchFolder(`${path}.watch`, { ...OPTIONS, levels: [level], isReadAgain: true });
          const from = watched.position?.at ?? null;
          let position = from;
          for await (const chunk of fileSource(path, { isFollowed: () => false, onNote: () => {}, from }).chunks(
            NEVER,
          )) {
            watched.watcher.take(chunk.bytes);
            ({ position } = chunk);
          }
          await watched.watcher.judge();
          if (isSaved) await watched.save(position);
          return { ...watched, position: isSaved && position !== null ? { lines: 0, at: position } : null };
        };
        for (const step of steps) {
          if (step === 'write') write(rest.indexOf('\n') + 1);
          else if (step === 'write half') write(rest.indexOf('\n') >> 1);
          else if (step === 'move') {
            write(rest.indexOf('\n') + 1);
            if (!isSeen) continue;
            isSeen = false;
            renameSync(path, `${path}.${++moved}`);
            writeFileSync(path, '');
          } else {
            const { position } = await watchOn(step === 'watch and save');
            isSeen ||= position !== null && inodeIn(position.at) === statSync(path).ino;
          }
        }
        write(rest.length);
        const { watcher } = await watchOn(true);
        const status = await watcher.finish();
        expect(status.levels[level]).toBe(verdict === 'violated' ? 'violated' : 'stands');
        expect(status.transactions).toBe(lines.length - 1);
      }),
      { numRuns: draws(100) },
    );
  });

  test('a killed watch leaves half a line, which is passed over', async () => {
    const options = { ...OPTIONS, levels: ['serializable'] as const };
    const before = await watchFolder(folder, options);
    take(before, LOST_UPDATE.slice(0, 2));
    await before.watcher.judge();
    const [segment] = readdirSync(join(folder, 'log'));
    appendFileSync(join(folder, 'log', segment!), '{"session":2,"ops":[["r","x"');
    const after = await watchFolder(folder, options);
    expect(after.lines).toBe(2);
    take(after, LOST_UPDATE.slice(2));
    expect(await after.watcher.finish()).toMatchObject({ levels: { serializable: 'violated' }, transactions: 2 });
  });

  test('a killed watch is not confused with another watch', async () => {
    const before = await watchFolder(folder, { ...OPTIONS, levels: ['serializable'] });
    take(before, LOST_UPDATE.slice(0, 2));
    await before.watcher.judge();
    await before.save();
    await expect(watchFolder(folder, { ...OPTIONS, levels: ['causal'] })).rejects.toThrow(
      'The levels serializable were watched before, found causal; watch the same levels, or use another folder.',
    );
  });
});

describe('a checkpoint', () => {
  const options = { ...OPTIONS, horizon: { transactions: 1, ms: Infinity }, levels: ['serializable'] as const };
  const path = (): string => join(folder, 'checkpoint.json');

  async function left(change: (saved: Record<string, unknown>) => object): Promise<void> {
    const watched = await watchFolder(folder, options);
    take(watched, [...LOST_UPDATE.slice(0, 2), '{"session":1,"ops":[["r","x",1],["w","x",2]]}']);
    await watched.watcher.judge();
    await watched.save();
    watched.close();
    writeFileSync(path(), JSON.stringify(change(JSON.parse(readFileSync(path(), 'utf8')) as Record<string, unknown>)));
  }

  async function ends(notes: string[] = []) {
    const watched = await watchFolder(folder, { ...options, onNote: (note) => notes.push(note) });
    take(watched, ['{"session":1,"ops":[["r","x",2],["w","x",3]]}']);
    const status = await watched.watcher.finish();
    await watched.save();
    return status;
  }

  test('a checkpoint of the version before, without scans, is gone on from', async () => {
    await left(({ engines, ...saved }) => ({
      ...saved,
      version: 2,
      engines: (engines as object[]).map((engine) => ({ ...engine, settledScans: undefined })),
    }));
    const notes: string[] = [];
    expect(await ends(notes)).toMatchObject({
      scans: 0,
      transactions: 3,
      reopened: 0,
      levels: { serializable: 'stands' },
    });
    expect(notes).toEqual([]);
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toMatchObject({ version: 3, engines: [{ settledScans: 0 }] });
  });

  test.each<[string, (saved: Record<string, unknown>) => object, string]>([
    ['of the first version', (saved) => ({ ...saved, version: 1 }), 'has version 1, expected 3'],
    ['that lacks a field', (saved) => ({ ...saved, numbers: undefined }), 'lacks "numbers"'],
    ['whose engine lacks one', (saved) => ({ ...saved, engines: [{ settledScans: 0 }] }), 'lacks "last"'],
    ['of something else', () => ({ version: 3 }), 'is not a checkpoint of isolab watch'],
    ['that is no object', () => [], 'is not a checkpoint of isolab watch'],
  ])('%s is passed over, and the log is read', async (_, change, why) => {
    await left(change);
    const notes: string[] = [];
    expect(await ends(notes)).toMatchObject({ transactions: 3, levels: { serializable: 'stands' } });
    expect(notes).toEqual([`${path()} ${why}; continuing from the log.`]);
  });

  test('a checkpoint of a newer version is refused, and left as it is', async () => {
    await left((saved) => ({ ...saved, version: 4 }));
    await expect(ends()).rejects.toThrow(
      `${path()} has version 4 of a newer isolab, expected 3; continue with that isolab, or watch in another folder.`,
    );
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toMatchObject({ version: 4 });
  });
});

test('an alarm has a history, a certificate that it violates the level, and a story', async () => {
  const { watcher } = await watchFolder(folder, { ...OPTIONS, levels: ['serializable'] });
  watcher.take(Buffer.from(LOST_UPDATE.map((line) => `${line}\n`).join('')));
  const { alarms } = await watcher.judge();
  expect(alarms).toMatchObject([{ number: 1, level: 'serializable', anomalies: ['lost-update'], line: 3 }]);
  const { history, certificate, story } = alarms[0]!.files!;
  const opened = await open(history);
  expect(verify(opened, JSON.parse(readFileSync(certificate, 'utf8')))).toMatchObject({ ok: true });
  expect(readFileSync(story, 'utf8')).toContain(alarms[0]!.sentence);
});
