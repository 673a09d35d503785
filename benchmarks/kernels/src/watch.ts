/**
 * Watches a stream of transactions of 15 operations at full speed, with a lost update near its end: `npm run bench
 * watch [-- LEVEL TRANSACTIONS]`. Prints rate, CPU time, lag and memory, and the times of the alarm and its
 * explanation.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { DEFAULTS, openSource, runWatch, watchFolder } from '@isolab/watch';

const [SESSIONS, KEYS, OPERATIONS, CHUNK] = [50, 10_000, 15, 1 << 16];

const [level = 'snapshot-isolation', count = '10000000', folder] = process.argv.slice(2);
if (folder === undefined) await feed(Number(count));
else await watch(folder);

/** The measured process: it reads standard input. */
async function watch(into: string): Promise<void> {
  const lags: number[] = [];
  let memory = 0;
  const watched = await watchFolder(into, {
    ...DEFAULTS,
    name: 'a stream',
    levels: [level as 'serializable'],
    onAlarm: ({ at, sentence }) => console.log(JSON.stringify({ at, told: Date.now(), sentence })),
  });
  const source = openSource({ kind: 'standard input' }, { isFollowed: () => false, onNote: () => {}, from: null });
  const { status, ending } = await runWatch(source, watched, {
    intervalMs: 200,
    signal: new AbortController().signal,
    onStatus: ({ lagMs, memoryBytes }) => {
      lags.push(lagMs);
      memory = Math.max(memory, memoryBytes);
    },
  });
  const { user, system } = process.cpuUsage();
  const lag = lags.toSorted((a, b) => a - b)[Math.floor(0.95 * lags.length)];
  const { transactions, levels } = status;
  console.log(JSON.stringify({ ending, levels, transactions, cpuMs: (user + system) / 1000, lag, memory }));
}

async function feed(transactions: number): Promise<void> {
  const into = mkdtempSync(join(tmpdir(), 'isolab-bench-'));
  const loadBefore = loadavg()[0]!;
  const words = [fileURLToPath(import.meta.url), level, count, into];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const began = Date.now();
  const lost = Math.floor(0.99 * transactions);
  let lostAt = 0;
  for (const [chunk, from] of chunks(transactions, lost)) {
    if (from <= lost) lostAt = Date.now();
    if (!child.stdin.write(chunk)) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  await once(child, 'exit');
  const seconds = (Date.now() - began) / 1000;
  rmSync(into, { recursive: true });
  const [alarm, end] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>);
  const { cpuMs, lag, memory } = end!;
  console.log(
    `${level}: ${transactions} transactions in ${seconds.toFixed(0)} s, ${(transactions / seconds).toFixed(0)}/s; ` +
      `${((1000 * cpuMs!) / transactions).toFixed(1)} µs of CPU time per transaction, ${(transactions / (cpuMs! / 1000)).toFixed(0)} transactions per second of CPU time; ` +
      `95 % of the lags are at most ${lag} ms; the peak memory is ${(memory! / 1e6).toFixed(0)} MB; ` +
      `the alarm for the lost update, with its shrunk history, came ${alarm!['at']! - lostAt} ms after it was sent, and the report after ${alarm!['told']! - lostAt} ms; ` +
      `load ${loadBefore.toFixed(1)} before, ${loadavg()[0]!.toFixed(1)} after`,
  );
}

/** Lines of sessions in turn, serial except for one transaction that misses the update before it. */
function* chunks(transactions: number, lost: number): Generator<readonly [chunk: string, from: number]> {
  const latest = Array.from({ length: KEYS }, () => 0);
  let [value, state] = [0, 1];
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  let chunk = `{"isolab":"history","version":1,"initial":0}\n`;
  let from = 0;
  for (let t = 0; t < transactions; t++) {
    const ops: string[] = [];
    if (t === lost - 1 || t === lost) {
      ops.push(`["r",0,${latest[0]!}]`, `["w",0,${++value}]`);
      if (t === lost) latest[0] = value;
    }
    while (ops.length < OPERATIONS) {
      const key = 1 + random(KEYS - 1);
      if (random(2) === 0) ops.push(`["r",${key},${latest[key]!}]`);
      else ops.push(`["w",${key},${(latest[key] = ++value)}]`);
    }
    chunk += `{"session":${t % SESSIONS},"ops":[${ops.join()}]}\n`;
    if (chunk.length < CHUNK && t + 1 < transactions) continue;
    yield [chunk, from];
    [chunk, from] = ['', t + 1];
  }
}
