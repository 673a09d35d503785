/**
 * `isolab merge`: judges a history by the results of its shards, which `isolab check --queue 1/16 --output json` printed.
 * Exact, because trusted timestamps state the order of the transactions and each condition concerns one key.
 */
import { basename } from 'node:path';
import { type Shard, visibleLine } from 'isolab/skin';
import { openInput, parseJson, readAllBytes } from 'isolab/formats';
import type { CheckJson } from 'isolab/check';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import type { CommandFlags, CommandModule } from '../terminal/options.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { shardIn } from '../terminal/shard.ts';

const OPTIONS = [] as const;
export type MergeFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab merge 1.json 2.json', 'isolab merge shard-*.json --output json'],
  options: OPTIONS,
  run: merge,
};

/** Result of one shard. */
interface Part {
  readonly file: string;
  readonly shard: Shard;
  readonly path: string;
  readonly sha256: string;
  readonly level: string;
  readonly verdict: CheckJson['verdict'];
  readonly reason: string | null;
  readonly transactions: number;
  readonly reads: number;
}

export async function merge(files: readonly string[], flags: MergeFlags, printer: Printer): Promise<number> {
  const parts = await Promise.all(files.map(partIn));
  parts.forEach((part) => insistOnSame(part, parts[0]!));
  const { path, level, shard, transactions } = parts[0]!;
  const missing = Array.from({ length: shard.of }, (_, i) => i + 1).filter((index) =>
    parts.every((part) => part.shard.index !== index),
  );
  const { verdict, reason } = judged(parts, missing);
  if (flags.output === 'json')
    printer.out(toJson({ verdict, path, level, reason, shards: shard.of, missing, transactions, parts }));
  else {
    printer.out(visibleLine(`${verdict.padEnd(9)}  ${level}  ${path}  ${reason ?? `in all ${shard.of} shards`}`));
    if (verdict !== 'unknown') printer.out('\n  This verdict trusts the timestamps of the database.');
  }
  if (verdict === 'violated') return ExitCode.Violated;
  return verdict === 'unknown' ? ExitCode.Unknown : ExitCode.Satisfied;
}

function judged(parts: readonly Part[], missing: readonly number[]): Pick<CheckJson, 'verdict' | 'reason'> {
  const violated = parts.filter(({ verdict }) => verdict === 'violated');
  if (violated.length > 0) return { verdict: 'violated', reason: `in ${namesOf(violated)}` };
  const of = parts[0]!.shard.of;
  if (missing.length > 0)
    return { verdict: 'unknown', reason: `without ${missing.length} of ${of} shards: ${missing.join(', ')}` };
  const unknown = parts.find(({ verdict }) => verdict === 'unknown');
  if (unknown !== undefined) return { verdict: 'unknown', reason: `in ${namesOf([unknown])}: ${unknown.reason}` };
  const reads = parts.reduce((sum, part) => sum + part.reads, 0);
  if (reads === 0) return { verdict: 'unknown', reason: 'nothing to judge: no read of a known value' };
  return { verdict: 'satisfied', reason: null };
}

const namesOf = (parts: readonly Part[]): string =>
  parts.map(({ file, shard: { index, of } }) => `shard ${index}/${of} (${file})`).join(', ');

async function partIn(file: string): Promise<Part> {
  const input = await openInput(file);
  if (input.kind === 'directory')
    throw new UsageError(`${file} is a directory, expected the result of a shard; isolab hunt merge takes folders.`);
  const found = parseJson(new TextDecoder().decode(await readAllBytes(input)), file) as Partial<CheckJson> | null;
  const { shard, path, level, verdict, reason = null, history, evidence } = found ?? {};
  const sha256 = shard?.sha256;
  const isPart = typeof path === 'string' && typeof level === 'string' && VERDICTS.includes(verdict ?? '');
  if (!isPart || typeof sha256 !== 'string' || shardIn(`${shard?.index}/${shard?.of}`) === null)
    throw new UsageError(
      `${file}: found no result of a shard, expected the file of isolab check --trust timestamps --queue 1/16 --output json=FILE.`,
    );
  const { index, of } = shard!;
  const suffix = `, shard ${index}/${of}`;
  return {
    file,
    shard: { index, of },
    path: basename(path.endsWith(suffix) ? path.slice(0, -suffix.length) : path),
    sha256,
    level,
    verdict: verdict!,
    reason,
    transactions: history?.transactions ?? 0,
    reads: evidence?.kind === 'history' ? evidence.reads + evidence.ambiguousReads : 0,
  };
}

/** Fails unless both results belong to the same check. */
function insistOnSame(part: Part, first: Part): void {
  const facts = ({ path, sha256, level, shard }: Part): string[] => [
    `a shard of ${path}, sha256 ${sha256.slice(0, 12)}`,
    `the level ${level}`,
    `one of ${count(shard.of, 'shard')}`,
  ];
  const isSame = [part.sha256 === first.sha256, part.level === first.level, part.shard.of === first.shard.of];
  const differing = isSame.indexOf(false);
  if (differing < 0) return;
  const [found, expected] = [part, first].map((each) => facts(each)[differing]);
  throw new UsageError(`${part.file}: found ${found}, expected ${expected}, as in ${first.file}.`);
}

const VERDICTS: readonly string[] = ['satisfied', 'violated', 'unknown'];
