/** Times reading every format, in MB/s, and the read-from index: `npm run bench reading [-- FORMAT …]`. */
import { mkdtemp, rm, stat, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { HISTORY_FORMATS, writeTo, readDocumentAt } from '@isolab/formats';
import { buildReadFrom, countOperations, findInternalAnomalies } from '@isolab/history';
import { Bench } from 'tinybench';
import { MILLION_OPERATIONS, generate, generateLists } from './kernels/generate.ts';

const LIST_FORMATS = new Set(['jepsen-edn', 'jepsen-json']);
/** Formats whose files hold one key or one document, and are never large. */
const SMALL_FORMATS = new Set(['porcupine-etcd', 'porcupine-kv', 'dbcop-yaml']);

const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'isolab-bench-'));
try {
  const registers = generate(MILLION_OPERATIONS);
  const lists = generateLists({ ...MILLION_OPERATIONS, keys: 100, operationsPerTransaction: 4 }, 100);
  const bench = new Bench({ time: 3000, iterations: 5, warmupIterations: 2, warmupTime: 500 });
  const megabytes = new Map<string, number>();
  for (const format of HISTORY_FORMATS) {
    if (!format.writer || SMALL_FORMATS.has(format.name) || (wanted.length > 0 && !wanted.includes(format.name)))
      continue;
    const path = join(folder, format.name);
    const writer = await format.writer();
    await writeTo(path, (output) => writer.write(LIST_FORMATS.has(format.name) ? lists : registers, output));
    megabytes.set(format.name, (await sizeOf(path)) / 1e6);
    bench.add(format.name, () => readDocumentAt(path, { format: format.name }));
  }
  bench.add('read-from index', () => buildReadFrom(registers));
  const index = buildReadFrom(registers);
  bench.add('internal anomalies', () => findInternalAnomalies(registers, index));
  await bench.run();

  console.log(
    `${countOperations(registers)} register operations, ${countOperations(lists)} list operations; the best and the median of each`,
  );
  for (const { name, result } of bench.tasks) {
    if (result.state !== 'completed') throw new Error(`${name} ended as ${result.state}`);
    const { min, p50 } = result.latency;
    const size = megabytes.get(name);
    const rate =
      size === undefined
        ? ''
        : `  ${(size / (min / 1000)).toFixed(0)} MB/s best, ${(size / (p50 / 1000)).toFixed(0)} MB/s median`;
    console.log(`${name.padEnd(20)} ${min.toFixed(0).padStart(6)} ms  ${p50.toFixed(0).padStart(6)} ms${rate}`);
  }
} finally {
  await rm(folder, { recursive: true });
}

async function sizeOf(path: string): Promise<number> {
  const info = await stat(path);
  if (!info.isDirectory()) return info.size;
  const sizes = await Promise.all((await readdir(path)).map(async (file) => (await stat(join(path, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
