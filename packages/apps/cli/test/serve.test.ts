/** `isolab serve` answers each request, also if the process that checks ends. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { descendantsOf } from '../src/terminal/descendants.ts';
import { type Running, leftOf, start, until, workplace, write } from './support/program.ts';

const { folder, place, ok, violated } = workplace('serve');

/** Thirty writes at the same time, and two reads after them in the wrong order: no search ends soon. */
const hard = write(
  join(folder, 'hard.jsonl'),
  [
    '{"isolab":"history","version":1,"initial":0,"times":"events"}',
    ...Array.from(
      { length: 30 },
      (_, i) => `{"session":${i},"begin":${i},"end":${100 + i},"ops":[["w","x",${i % 3}]]}`,
    ),
    '{"session":40,"begin":200,"end":210,"ops":[["r","x",1]]}',
    '{"session":40,"begin":220,"end":230,"ops":[["r","x",2]]}',
  ].join('\n'),
);
const HARD = { path: hard, level: 'linearizable' };

type Answer = Readonly<Record<string, unknown>>;

interface Served extends Running {
  ask(request: object | string): void;
  /** Ends the input. */
  close(): Promise<{ readonly code: number | string; readonly answers: readonly Answer[] }>;
  readonly answered: () => number;
}

function serve(...flags: readonly string[]): Served {
  const running = start(['serve', ...flags], place());
  let lines = 0;
  running.child.stdout!.on('data', (chunk: Buffer) => (lines += chunk.toString().split('\n').length - 1));
  const ask = (request: object | string): void =>
    void running.child.stdin!.write(`${typeof request === 'string' ? request : JSON.stringify(request)}\n`);
  const close = async () => {
    running.child.stdin!.end();
    const { code, out } = await running.ended;
    return {
      code,
      answers: out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Answer),
    };
  };
  return { ...running, ask, close, answered: () => lines };
}

const byId = (answers: readonly Answer[]) =>
  Object.fromEntries(answers.map((answer) => [String(answer['id']), answer]));

describe('isolab serve', () => {
  test('isolab serve answers with verdicts, and with errors that name the place and the expected input', async () => {
    const { ask, close } = serve();
    ask({ id: 1, path: ok, level: 'ser' });
    ask({ id: 'two', text: 'r(1,7,0,0)\n', level: ['rc', 'si'] });
    ask({ id: 3, text: 'w(1,1,0\n', format: 'text', level: 'ser' });
    ask({ id: 4, path: 'none.txt', level: 'ser' });
    ask({ id: 5, path: ok, level: 'nothing' });
    ask({ id: 6, path: ok, level: 'ser', checker: './own.mjs' });
    ask({ id: 7, path: ok, level: 'ser', format: './own.mjs' });
    const { code, answers } = await close();
    expect(code).toBe(0);
    expect(byId(answers)).toMatchObject({
      1: { verdict: 'satisfied', path: ok, levels: { serializable: 'satisfied' } },
      two: { verdict: 'violated', path: 'text', anomalies: [{ name: 'thin-air-read' }] },
      3: {
        verdict: 'unknown',
        file: 'text',
        position: 'line 1, column 8',
        problem: expect.stringContaining('expected') as string,
      },
      4: { verdict: 'unknown', file: 'none.txt', error: 'none.txt: no such file or directory' },
      5: { verdict: 'unknown', error: 'There is no level nothing; isolab list levels lists them.' },
      6: { verdict: 'unknown', error: expect.stringContaining("not one of isolab's own") as string },
      7: { verdict: 'unknown', error: expect.stringContaining("not one of isolab's own") as string },
    });
  });

  test('isolab serve refuses nonsense and goes on', async () => {
    const { ask, close } = serve();
    const wrong = [
      'nonsense',
      '[]',
      'null',
      '"w"',
      '{"id":{},"level":"ser"}',
      '{"id":1,"level":"ser"}',
      '{"id":2,"path":"x"}',
    ];
    for (const line of [
      ...wrong,
      '{"id":3,"path":1,"level":"ser"}',
      '{"id":4,"paths":"x"}',
      '',
      'x'.repeat(17_000_000),
    ])
      ask(line);
    ask({ id: 'last', path: ok, level: 'ser' });
    const { code, answers } = await close();
    expect(code).toBe(0);
    expect(answers).toHaveLength(11);
    for (const { verdict, error } of answers.slice(0, 10))
      expect([verdict, typeof error]).toEqual(['unknown', 'string']);
    expect(byId(answers)).toMatchObject({
      1: { error: expect.stringContaining('path and text') as string },
      2: { error: expect.stringContaining('level is missing') as string },
      3: { error: 'The field path is 1, expected a string' },
      4: { error: expect.stringContaining('The field "paths" is unknown') as string },
      last: { verdict: 'satisfied' },
    });
    expect(answers[9]).toMatchObject({ error: 'The line has more than 16777216 bytes' });
  });

  test('isolab serve answers requests at the same time', async () => {
    const { ask, close, answered } = serve('--jobs', '2');
    ask({ ...HARD, id: 'hard', timeMs: 4000 });
    for (let id = 0; id < 5; id++) ask({ id, path: id % 2 === 0 ? ok : violated, level: 'ser' });
    await until(() => answered() === 5);
    const { answers } = await close();
    expect(answers.map(({ id, verdict }) => [id, verdict])).toEqual([
      [0, 'satisfied'],
      [1, 'violated'],
      [2, 'satisfied'],
      [3, 'violated'],
      [4, 'satisfied'],
      ['hard', 'unknown'],
    ]);
  });

  test('isolab serve answers a request beyond its limits without a verdict', async () => {
    const late = serve('--time', '300ms');
    late.ask({ ...HARD, id: 1 });
    late.ask({ id: 2, path: ok, level: 'ser', steps: 0 });
    late.ask({ id: 3, path: ok, level: 'ser' });
    const { code, answers } = await late.close();
    expect(code).toBe(0);
    expect(answers.map(({ id, verdict }) => [id, verdict])).toEqual([
      [1, 'unknown'],
      [2, 'unknown'],
      [3, 'satisfied'],
    ]);
    const large = serve('--memory', '1MB');
    large.ask({ id: 1, path: ok, level: 'ser' });
    large.ask({ id: 2, path: ok, level: 'ser' });
    expect((await large.close()).answers).toMatchObject([
      { id: 1, verdict: 'unknown', reason: 'memory' },
      { id: 2, verdict: 'unknown', reason: 'memory' },
    ]);
  });
});

describe('isolab serve, cut off', unless('linux'), () => {
  const checking = ({ child }: Running): number | undefined =>
    descendantsOf(child.pid!).find(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('serve-main'))
      ?.pid;

  test('isolab serve survives the death of a process that checks', async () => {
    const served = serve();
    served.ask({ ...HARD, id: 1 });
    await until(() => checking(served) !== undefined);
    process.kill(checking(served)!, 'SIGKILL');
    served.ask({ id: 2, path: violated, level: 'ser' });
    expect((await served.close()).answers).toMatchObject([
      { id: 1, verdict: 'unknown', reason: 'crashed' },
      { id: 2, verdict: 'violated' },
    ]);
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)('isolab serve leaves no process behind after %s', async (signal) => {
    const served = serve();
    served.ask({ ...HARD, id: 1 });
    await until(() => checking(served) !== undefined);
    served.child.kill(signal);
    const { code, out } = await served.ended;
    expect(code).toBe(signal === 'SIGTERM' ? 2 : 'SIGKILL');
    if (signal === 'SIGTERM') expect(JSON.parse(out)).toMatchObject({ id: 1, verdict: 'unknown', reason: 'aborted' });
    await until(() => leftOf(served.mark).length === 0);
  });

  test('isolab serve ends when its answers have no reader', unless('posix'), async () => {
    const served = serve();
    served.child.stdout!.destroy();
    for (let i = 0; i < 5; i++) {
      served.ask({ id: i, path: ok, level: 'ser' });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect((await served.ended).code).toBe(2);
  });
});
