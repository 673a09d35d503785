/**
 * Answers one call of a tool by running command lines of isolab in processes of their own, so that no input can end the
 * server. A call that yields no complete answer is an error without a verdict. The temporary folder of the call is
 * removed.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ExitCode } from '../terminal/exit.ts';
import { commandFile } from '../terminal/own-package.ts';
import { type Limits, type Lines, TOOLS } from './tools.ts';

interface Called {
  readonly limits: Limits;
  /** Returns the difference between values and a JSON Schema. */
  readonly problemIn: (schema: object, given: unknown) => string | null;
  readonly signal: AbortSignal;
}

type Answer = {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};

export async function callTool(
  { name, arguments: given = {} }: { readonly name: string; readonly arguments?: object | undefined },
  { limits, problemIn, signal }: Called,
): Promise<Answer> {
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name]! : null;
  if (tool === null) return failed(`There is no tool ${shown(name)}; expected ${Object.keys(TOOLS).join(', ')}.`);
  const problem = problemIn(tool.inputSchema, given);
  const names = Object.keys(tool.inputSchema.properties).join(', ');
  if (problem !== null)
    return failed(`The arguments of ${name} are wrong: ${shown(problem)}. Its arguments are ${names}.`);
  const folder = mkdtempSync(join(tmpdir(), 'isolab-mcp-'));
  try {
    return await answered(tool.command(given as Record<string, string>, limits, folder), given, signal);
  } catch (error) {
    return failed((error as Error).message);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function answered(lines: Lines, given: { readonly certificate?: string }, signal: AbortSignal): Promise<Answer> {
  const [told, printed] = await Promise.all([
    run(lines.text, signal),
    lines.json === undefined ? null : run(lines.json, signal),
  ]);
  const json = printed?.out ?? (existsSync(lines.file!) ? readFileSync(lines.file!, 'utf8') : '');
  const parts =
    json.trim() === ''
      ? []
      : json
          .trim()
          .split('\n')
          .map((line) => picked(line, lines.fields));
  if (told.code === ExitCode.Failed || parts.length === 0)
    return failed(told.err || told.out || 'isolab gave no answer.');
  const { certificate } = given;
  const structuredContent = {
    ...(parts.length === 1 ? parts[0] : { results: parts }),
    ...(certificate !== undefined && { certificate }),
  };
  return { content: [{ type: 'text', text: cut(`${told.out}${told.err}`.trim()) }], structuredContent };
}

function picked(line: string, fields: readonly string[] | undefined): Record<string, unknown> {
  const whole = JSON.parse(line) as Record<string, unknown>;
  if (Array.isArray(whole)) return { list: whole };
  return fields === undefined
    ? whole
    : Object.fromEntries(Object.entries(whole).filter(([name]) => fields.includes(name)));
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const run = (words: readonly string[], signal: AbortSignal): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [commandFile(), ...words], { signal, maxBuffer: 1 << 28 }, (error, out, err) => {
      const code = error === null ? ExitCode.Satisfied : error.code;
      // A command that did not exit by itself has no code.
      if (typeof code === 'number') resolve({ code, out, err });
      else resolve({ code: ExitCode.Failed, out, err: signal.aborted ? 'The call was cancelled.' : error!.message });
    });
  });

const failed = (text: string): Answer => ({ content: [{ type: 'text', text: cut(text.trim()) }], isError: true });

/** Text within the usual bounds of an assistant. */
const cut = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… (${text.length - LONGEST} more characters left out)`;
const LONGEST = 50_000;

const shown = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
const SHOWN = 200;
