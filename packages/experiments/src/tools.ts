/** Outside checkers: programs that are run by a command and whose answers are read from what they print. */
import { findFormat, isOccupied, writeTo } from '@isolab/formats';
import { type History, visibleLine } from '@isolab/history';
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync, renameSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { codeVersion } from './code-version.ts';
import { BenchError } from './errors.ts';
import type { Available } from './histories.ts';
import { type Measured, type RunCellOptions, skipped } from './run-cell.ts';

/** How a tool is called and understood; one entry of tools.json. */
export interface Tool {
  /**
   * The program and its arguments; `{history}`, `{level}` and `{folder}`, which holds nothing else, are put in, for
   * `{here}` the folder of tools.json, and for `{isolab}` the file of the command that runs.
   */
  readonly command: readonly string[];
  /** The format in which it takes histories. */
  readonly format: string;
  /** What it calls the levels that it checks. */
  readonly levels: Readonly<Record<string, string>>;
  /** What may get lost when a history is written in that format, because the tool does not look at it. */
  readonly ignores?: readonly string[];
  readonly verdict: { readonly satisfied: Sign; readonly violated: Sign };
  /** A pattern whose first group is the milliseconds from opening the history to the verdict, as the program tells them. */
  readonly fromFileMs?: string;
}

/** A pattern in what it prints, and perhaps an exit code besides: by itself, that could just as well be one of a crash. */
export interface Sign {
  readonly output: string;
  readonly exit?: number;
}

export type Tools = Readonly<Record<string, Tool>>;

/** The tools of files, later ones first; a missing file holds none. `isolab` is our own command. */
export function readTools(paths: readonly (string | undefined)[], isolab: string): Tools {
  const tools: Record<string, Tool> = {};
  for (const path of paths) {
    if (path === undefined || !existsSync(path)) continue;
    let read: Record<string, Tool>;
    try {
      read = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Tool>;
    } catch (error) {
      throw new BenchError(`${path} is not valid JSON: ${(error as Error).message}`);
    }
    for (const [name, tool] of Object.entries(read)) {
      if (name.startsWith('$')) continue; // "$schema"
      const complete =
        tool.command?.length > 0 && tool.format && tool.levels && tool.verdict?.satisfied && tool.verdict.violated;
      if (!complete) throw new BenchError(`${path}: ${name} needs command, format, levels and verdict.`);
      for (const [verdict, sign] of Object.entries(tool.verdict))
        if (typeof sign.output !== 'string')
          throw new BenchError(
            `${path}: ${name}: "${verdict}" has no "output", the pattern of what the tool then prints. An exit code alone is no verdict: a crash has one, too.`,
          );
      for (const pattern of [tool.verdict.satisfied.output, tool.verdict.violated.output, tool.fromFileMs])
        checkPattern(pattern, `${path}: ${name}`);
      tools[name] = {
        ...tool,
        command: tool.command.map((word) => (word === '{isolab}' ? isolab : placed(word, path))),
      };
    }
  }
  return tools;
}

function checkPattern(pattern: string | undefined, where: string): void {
  try {
    if (pattern !== undefined) RegExp(pattern, 'm');
  } catch (error) {
    throw new BenchError(`${where}: ${(error as Error).message}.`);
  }
}

/** A path beside tools.json, wherever links to that lead. */
const placed = (word: string, path: string): string =>
  word.startsWith('{here}') ? join(dirname(realpathSync(path)), word.slice('{here}'.length)) : word;

/** What the results of a tool depend on: how it is called, and the code of a package of this repository that it runs. */
export function toolVersion(tool: Tool): string {
  const scripts = tool.command.filter((word) => /\.[cm]?js$/.test(word) && existsSync(word));
  return JSON.stringify([tool, programOf(tool), ...scripts.map((script) => codeVersion(pathToFileURL(script).href))]);
}

/** A series names an outside tool as its checker like this. */
export const TOOL_PREFIX = 'tool:';

/** Where the program of a tool is, or null. */
function programOf({ command }: Tool): string | null {
  const name = command[0]!;
  if (name.includes('/')) return isExecutable(name) ? name : null;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Why a tool cannot answer, before its history is even read; null if it can be tried. */
export function whyNot(name: string, tool: Tool | undefined, level: string): string | null {
  if (!tool) return `absent tool: no ${name} in tools.json`;
  if (programOf(tool) === null) return `absent tool: ${tool.command[0]} is not on the PATH`;
  return Object.hasOwn(tool.levels, level) ? null : `unsupported: ${name} does not check ${level}`;
}

export async function runTool(
  name: string,
  tool: Tool,
  level: string,
  history: History,
  available: Available,
  cache: string,
  { limits, signal }: RunCellOptions,
): Promise<Measured> {
  const written = await writeFor(name, tool, history, available, cache);
  if ('reason' in written) return skipped(written.reason);
  const words = tool.command.map((word) =>
    word
      .replaceAll('{history}', written.path)
      .replaceAll('{folder}', dirname(written.path))
      .replaceAll('{level}', tool.levels[level]!),
  );
  const ended = await runProgram(words, limits.seconds * 1000, limits.megabytes * 1e6, signal);
  return {
    ...verdictOf(name, tool, ended),
    ...ended.usage,
    wallMs: ended.wallMs,
    ...toldTime(tool, ended),
    stages: [],
    counters: {},
    certificate: 'none',
  };
}

/** Writes the history in the tool's format, once; what the tool would not see must be what it ignores anyway. */
async function writeFor(
  name: string,
  tool: Tool,
  history: History,
  { sha256, path, format: from }: Available,
  cache: string,
): Promise<{ readonly path: string } | { readonly reason: string }> {
  const format = findFormat(tool.format);
  if (!format || !('writer' in format))
    throw new BenchError(`${name} takes ${tool.format}, which is no format; isolab formats lists them.`);
  if (from === format.name && !tool.command.some((word) => word.includes('{folder}'))) return { path };
  if (from === 'polyg') return { reason: `unsupported: ${name} checks histories, and this file is a polygraph` };
  if (!format.writer) throw new BenchError(`${name} takes ${tool.format}, which isolab reads but does not write.`);
  const folder = join(cache, 'converted', `${sha256}-${format.name}`);
  const target = format.layout === 'directory' ? folder : join(folder, nameFor(format.fileName));
  if (await isOccupied(folder)) return { path: target };
  const writer = await format.writer();
  const lost = writer.losses(history).filter((loss) => !tool.ignores?.includes(loss.name));
  if (lost.length > 0)
    return { reason: `unsupported: ${format.name} cannot hold ${lost.map((loss) => loss.name).join(', ')}` };
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  await writeTo(join(unfinished, relative(folder, target)), (output) => writer.write(history, output));
  renameSync(unfinished, folder);
  return { path: target };
}

/** A name for a file of a format that calls its files `*.txt` or `T<n>.log`. */
const nameFor = (fileName: string): string => fileName.replace('*', 'history').replace('<n>', '0');

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly stoppedFor: 'timeout' | 'memory' | 'aborted' | null;
  readonly failure: string | null;
  readonly wallMs: number;
  readonly usage: Usage;
}

function runProgram(
  words: readonly string[],
  timeMs: number,
  memoryBytes: number,
  signal?: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve) => {
    const begin = performance.now();
    // A group of its own, so that what the program starts ends with it.
    const child = spawn(words[0]!, words.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let [head, tail] = ['', ''];
    let stoppedFor: Ended['stoppedFor'] = null;
    let failure: string | null = null;
    let usage: Usage = { cpuMs: null, peakRssBytes: null };
    const stop = (why: NonNullable<Ended['stoppedFor']>): void => {
      stoppedFor ??= why;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    };
    const watch = (): void => {
      const now = child.pid === undefined ? null : usageOf(child.pid);
      // A process that has ended, and was not asked how yet, has no memory any more.
      usage = { cpuMs: now?.cpuMs ?? usage.cpuMs, peakRssBytes: now?.peakRssBytes ?? usage.peakRssBytes };
      if ((usage.peakRssBytes ?? 0) > memoryBytes) stop('memory');
    };
    const onAbort = (): void => stop('aborted');
    const keep = (chunk: string): void => {
      const room = KEPT - head.length;
      head += chunk.slice(0, room);
      tail = (tail + chunk.slice(room)).slice(-KEPT);
    };
    child.stdout.setEncoding('utf8');
    child.stderr.setEncoding('utf8');
    const timer = setTimeout(() => stop('timeout'), timeMs);
    const watching = setInterval(watch, WATCH_EVERY_MS);
    watch();
    signal?.addEventListener('abort', onAbort);
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => (failure = error.message));
    child.on('close', (code) => {
      clearTimeout(timer);
      clearInterval(watching);
      signal?.removeEventListener('abort', onAbort);
      resolve({ code, output: head + tail, stoppedFor, failure, wallMs: performance.now() - begin, usage });
    });
  });
}

function verdictOf(name: string, { verdict }: Tool, ended: Ended): Pick<Measured, 'verdict' | 'reason'> {
  if (ended.stoppedFor !== null) return { verdict: 'unknown', reason: ended.stoppedFor };
  if (ended.failure !== null) return { verdict: 'unknown', reason: `crashed: ${ended.failure}` };
  if (ended.code === null) return { verdict: 'unknown', reason: `crashed: ${name} was ended by a signal` };
  const [satisfied, violated] = [shows(verdict.satisfied, ended), shows(verdict.violated, ended)];
  if (satisfied !== violated) return { verdict: satisfied ? 'satisfied' : 'violated', reason: null };
  const both = satisfied ? 'both verdicts' : 'no verdict';
  return {
    verdict: 'unknown',
    reason: `crashed: ${name} ended with ${ended.code} and ${both}: ${tellingLine(ended.output)}`,
  };
}

/** The line that says most of why a program failed: the first that speaks of an error, or the last. */
function tellingLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((one) => /\b(error|exception|panic|fatal|cannot|not found)\b/i.test(one)) ?? lines.at(-1);
  return visibleLine(line?.trim().slice(0, 200) ?? 'it printed nothing');
}

function toldTime({ fromFileMs }: Tool, { output }: Ended): { readonly fromFileMs?: number } {
  const told = fromFileMs === undefined ? undefined : new RegExp(fromFileMs).exec(output)?.[1];
  return told === undefined || !(Number(told) >= 0) ? {} : { fromFileMs: Number(told) };
}

const shows = ({ exit, output }: Sign, ended: Ended): boolean =>
  (exit === undefined || ended.code === exit) && new RegExp(output, 'm').test(ended.output);

/** Of very long outputs, so much of the beginning and of the end. */
const KEPT = 100_000;
const WATCH_EVERY_MS = 20;

/** CPU time and peak memory of an outside program so far, as the system reports them. */

interface Usage {
  readonly cpuMs: number | null;
  readonly peakRssBytes: number | null;
}

/** Of one process, without children that still run; null values where the system has no /proc. */
function usageOf(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may hold anything; utime, stime, cutime and cstime are fields 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0);
    const peak = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return { cpuMs: (ticks * 1000) / TICKS_PER_SECOND, peakRssBytes: peak === undefined ? null : Number(peak) * 1024 };
  } catch {
    return null;
  }
}

/** USER_HZ, which is 100 wherever Linux runs today. */
const TICKS_PER_SECOND = 100;
