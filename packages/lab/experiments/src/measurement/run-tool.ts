/** Runs an outside checker on one history: writes the history in the tool's format, and reads its verdict. */
import { findFormat, isOccupied, writeTo } from '@isolab/formats';
import { type History, visibleLine } from '@isolab/history';
import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { BenchError } from '../experiment/errors.ts';
import type { Available } from '../datasets/histories.ts';
import { type Ended, runProgram } from './program.ts';
import { type Measured, type RunCellOptions, skipped } from './run-cell.ts';
import type { PatternTool, Sign, Tool } from '../experiment/tools.ts';
import { type WrapperAnswer, WrapperReader, requestLine } from './wrapper.ts';

export async function runTool(
  name: string,
  tool: Tool,
  level: string,
  history: History,
  available: Available,
  cache: string,
  options: RunCellOptions,
): Promise<Measured> {
  const written = await writeFor(name, tool, history, available, cache);
  if ('reason' in written) return skipped(written.reason);
  const request: Request = { name, path: written.path, level: tool.levels[level]! };
  return tool.protocol === undefined ? askByPatterns(tool, request, options) : askByLines(tool, request, options);
}

interface Request {
  readonly name: string;
  readonly path: string;
  /** The tool's own name for the level. */
  readonly level: string;
}

/** Writes the history in the tool's format, once; facts that the tool ignores may be lost. */
async function writeFor(
  name: string,
  tool: Tool,
  history: History,
  { sha256, path, format: from, failedStatements }: Available,
  cache: string,
): Promise<{ readonly path: string } | { readonly reason: string }> {
  const format = findFormat(tool.format);
  if (!format || !('writer' in format))
    throw new BenchError(
      `${name} expects the format ${tool.format}, which does not exist; isolab list formats shows them all.`,
    );
  if (from === format.name && failedStatements === undefined && !tool.command.some((word) => word.includes('{folder}')))
    return { path };
  if (from === 'polyg') return { reason: `unsupported: ${name} checks histories, and this file is a polygraph` };
  if (!format.writer)
    throw new BenchError(`${name} expects the format ${tool.format}, which isolab reads but does not write.`);
  const folder = join(cache, 'converted', `${sha256}-${format.name}`);
  const target = format.layout === 'directory' ? folder : join(folder, nameFor(format.fileName));
  if (await isOccupied(folder)) return { path: target };
  const writer = await format.writer();
  const lost = writer.losses(history).filter((loss) => !tool.ignores?.includes(loss.name));
  if (lost.length > 0)
    return { reason: `unsupported: ${format.name} cannot express ${lost.map((loss) => loss.name).join(', ')}` };
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  await writeTo(join(unfinished, relative(folder, target)), (output) => writer.write(history, output));
  renameSync(unfinished, folder);
  return { path: target };
}

/** Name of a file, for formats that call their files `*.txt` or `T<n>.log`. */
const nameFor = (fileName: string): string => fileName.replace('*', 'history').replace('<n>', '0');

const limitsOf = ({ limits, signal }: RunCellOptions) => ({
  timeMs: limits.seconds * 1000,
  memoryBytes: limits.megabytes * 1e6,
  signal,
});

const wordsOf = ({ command }: Tool, { path, level }: Request): string[] =>
  command.map((word) =>
    word.replaceAll('{history}', path).replaceAll('{folder}', dirname(path)).replaceAll('{level}', level),
  );

const unknown = (reason: string): Pick<Measured, 'verdict' | 'reason'> => ({ verdict: 'unknown', reason });

const measuredOf = ({ usage, wallMs }: Ended) => ({
  ...usage,
  wallMs,
  stages: [],
  counters: {},
  certificate: 'none' as const,
});

/** Describes the failure of a run that did not end by itself. */
function failureOf(name: string, ended: Ended): string | null {
  if (ended.failure !== null) return `crashed: ${ended.failure}`;
  if (ended.stoppedFor !== null) return ended.stoppedFor;
  return ended.code === null ? `crashed: a signal ended ${name}` : null;
}

/** Runs a program without a wrapper: its verdict is found by patterns in its output. */

async function askByPatterns(tool: PatternTool, request: Request, options: RunCellOptions): Promise<Measured> {
  const ended = await runProgram(wordsOf(tool, request), limitsOf(options));
  const failure = failureOf(request.name, ended);
  const said = failure === null ? shownVerdict(request.name, tool, ended) : unknown(failure);
  return { ...measuredOf(ended), ...said, ...toldTime(tool, ended) };
}

function shownVerdict(name: string, { verdict }: PatternTool, ended: Ended): Pick<Measured, 'verdict' | 'reason'> {
  const [satisfied, violated] = [shows(verdict.satisfied, ended), shows(verdict.violated, ended)];
  if (satisfied !== violated) return { verdict: satisfied ? 'satisfied' : 'violated', reason: null };
  const both = satisfied ? 'both verdicts' : 'no verdict';
  return unknown(`crashed: ${name} ended with exit code ${ended.code} and ${both}: ${tellingLine(ended.output)}`);
}

const shows = ({ exit, output }: Sign, ended: Ended): boolean =>
  (exit === undefined || ended.code === exit) && new RegExp(output, 'm').test(ended.output);

function toldTime({ fromFileMs }: PatternTool, { output }: Ended): { readonly fromFileMs?: number } {
  const told = fromFileMs === undefined ? undefined : new RegExp(fromFileMs).exec(output)?.[1];
  return told === undefined || !(Number(told) >= 0) ? {} : { fromFileMs: Number(told) };
}

/** Finds the line of the output that best explains the failure: the first that mentions an error, or the last. */
function tellingLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((one) => /\b(error|exception|panic|fatal|cannot|not found)\b/i.test(one)) ?? lines.at(-1);
  return visibleLine(line?.trim().slice(0, 200) ?? 'it printed nothing');
}

/** Runs a wrapper, which reads a request and answers in JSON lines. */

async function askByLines(tool: Tool, request: Request, options: RunCellOptions): Promise<Measured> {
  const { name, path, level } = request;
  const begin = performance.now();
  const reader = new WrapperReader((progress) =>
    options.onProgress?.({ ...progress, steps: 0, wallMs: performance.now() - begin }),
  );
  const limits = limitsOf(options);
  const ended = await runProgram(wordsOf(tool, request), {
    ...limits,
    input: requestLine({ history: path, format: tool.format, level }),
    read: (chunk) => reader.take(chunk),
  });
  reader.end();
  const { answer } = reader;
  const peak = Math.max(ended.usage.peakRssBytes ?? 0, answer?.peakBytes ?? 0);
  const measured = { ...measuredOf(ended), ...(peak > 0 && { peakRssBytes: peak }) };
  const problem = problemOf(name, reader, ended) ?? (peak > limits.memoryBytes ? 'memory' : null);
  if (problem !== null || answer === null) return { ...measured, ...unknown(problem ?? `crashed: ${name}`) };
  const { verdict, reason, seconds, stages = {} } = answer;
  return {
    ...measured,
    ...(verdict === 'unknown' ? unknown(`undecided: ${reason}`) : { verdict, reason: null }),
    ...(seconds !== undefined && { fromFileMs: seconds * 1000 }),
    stages: Object.entries(stages).map(([stage, each]) => ({ name: stage, ms: each * 1000 })),
  };
}

/** Reason why the run of a wrapper has no verdict, even if it printed one; null if it has. */
function problemOf(name: string, reader: WrapperReader, ended: Ended): string | null {
  // A wrapper that answered was in time, so its failure to end does not count as a time limit.
  if (ended.stoppedFor === 'timeout' && reader.answer !== null) return `crashed: ${name} answered but did not end`;
  if (reader.problem !== null) return `crashed: ${name}, ${reader.problem}`;
  const failure = failureOf(name, ended);
  if (failure !== null) return failure;
  const { answer } = reader;
  if (ended.code !== 0 || answer === null)
    return `crashed: ${name} ended with exit code ${ended.code} and ${answer === null ? 'no answer' : 'an answer'}: ${tellingLine(ended.output)}`;
  const told = longestTold(answer);
  return told > ended.wallMs / 1000 + CLOCKS_DIFFER
    ? `crashed: ${name} reports ${told} s in a run of ${(ended.wallMs / 1000).toFixed(3)} s`
    : null;
}

const longestTold = ({ seconds = 0, stages = {} }: WrapperAnswer): number =>
  Math.max(
    seconds,
    Object.values(stages).reduce((sum, each) => sum + each, 0),
  );

/** Largest difference between two clocks, in seconds. */
const CLOCKS_DIFFER = 0.05;
