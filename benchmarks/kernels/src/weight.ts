/**
 * Measures the size of a history: bytes per operation and per transaction, and the peak memory of reading it, in its
 * own process, for 1 million transactions of 20 operations. `npm run bench weight [-- TRANSACTIONS]`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findFormat, writeTo, readDocumentAt } from '@isolab/formats';
import { buildReadFrom, countOperations, countTransactions, memoryOf } from '@isolab/history';
import { MILLION_OPERATIONS, generate } from './kernels/generate.ts';

const [mode, argument] = process.argv.slice(2);
if (mode === 'read') await readOne(argument!);
else await compare(Number(mode ?? 1_000_000));

async function compare(transactions: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'isolab-weight-'));
  try {
    const size = { ...MILLION_OPERATIONS, transactionsPerSession: transactions / 50, keys: 100_000 };
    for (const name of ['text', 'dbcop-bincode', 'isolab']) {
      const format = findFormat(name);
      if (!format || !('writer' in format) || !format.writer) throw new Error(`${name} cannot be written`);
      const path = join(folder, name);
      const writer = await format.writer();
      await writeTo(path, (output) => writer.write(generate(size), output));
      console.log(`${name}: ${((await stat(path)).size / 1e6).toFixed(0)} MB`);
      spawnSync(process.execPath, [fileURLToPath(import.meta.url), 'read', path], { stdio: 'inherit' });
      await rm(path);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Peak memory of this process, from /proc if possible: getrusage begins with the peak of the parent process. */
function peakBytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(status);
  return 1024 * (peak ? Number(peak[1]) : process.resourceUsage().maxRSS);
}

async function readOne(path: string): Promise<void> {
  const idle = peakBytes();
  const begin = process.hrtime.bigint();
  const document = await readDocumentAt(path);
  if (document.kind !== 'history') throw new Error('expected a history');
  const { history } = document;
  const peakReading = peakBytes();
  const read = process.hrtime.bigint();
  const index = buildReadFrom(history);
  const indexed = process.hrtime.bigint();
  const { columns, interned } = memoryOf(history);
  const withIndex = columns + index.readFrom.byteLength + index.outcome.byteLength;
  const [transactions, operations] = [countTransactions(history), countOperations(history)];
  const final = columns + interned;
  const mega = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  const seconds = (from: bigint, to: bigint): string => `${(Number(to - from) / 1e9).toFixed(2)} s`;
  console.log(
    `  ${transactions} transactions, ${operations} operations, read in ${seconds(begin, read)}, indexed in ${seconds(read, indexed)}`,
  );
  console.log(`  columns ${mega(columns)}, interned ${mega(interned)}, read-from index ${mega(withIndex - columns)}`);
  const perTransaction = 48;
  console.log(
    `  with the index, ${((withIndex - perTransaction * transactions) / operations).toFixed(2)} bytes per operation and ${perTransaction} bytes per transaction`,
  );
  console.log(
    `  peak memory while reading ${mega(peakReading - idle)} above the idle process: ${((peakReading - idle) / final).toFixed(2)} times the final size`,
  );
  console.log(`  peak memory with the index ${mega(peakBytes() - idle)}`);
}
