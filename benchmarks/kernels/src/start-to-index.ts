/**
 * One million operations of r(k,v,s,t) text, from starting the process to the finished read-from index: wall
 * seconds, best of several. `npm run bench start-to-index [-- FILE]`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findFormat, writeTo, readDocumentAt } from '@isolab/formats';
import { buildReadFrom, countOperations } from '@isolab/history';
import { MILLION_OPERATIONS, generate } from './generate.ts';

const RUNS = 7;

const [mode, argument] = process.argv.slice(2);
if (mode === 'index') await indexOne(argument!);
else await measure(mode);

async function indexOne(path: string): Promise<void> {
  const document = await readDocumentAt(path);
  if (document.kind === 'history') console.log(buildReadFrom(document.history).readFrom.length);
}

async function measure(given: string | undefined): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'isolab-start-'));
  try {
    const path = given ?? join(folder, 'history.txt');
    if (given === undefined) await writeText(path);
    let walls: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const begin = performance.now();
      const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), 'index', path], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      if (status !== 0) throw new Error(`the run ended with ${status}`);
      walls = [...walls, (performance.now() - begin) / 1000].toSorted((a, b) => a - b);
    }
    console.log(`${RUNS} runs: best ${walls[0]!.toFixed(3)} s, median ${walls[RUNS >> 1]!.toFixed(3)} s wall`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function writeText(path: string): Promise<void> {
  const format = findFormat('text');
  if (!format || !('writer' in format) || !format.writer) throw new Error('text cannot be written');
  const history = generate(MILLION_OPERATIONS);
  const writer = await format.writer();
  await writeTo(path, (output) => writer.write(history, output));
  console.log(`${countOperations(history)} operations of text`);
}
