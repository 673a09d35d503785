/** Outside checkers: programs that are run by a command and whose output contains the verdict. */
import { isExecutable, programOnPath } from '@isolab/engines';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeVersion } from './code-version.ts';
import { BenchError } from './errors.ts';

/** Call of a tool and patterns for its output; one entry of tools.json. */
export type Tool = PatternTool | WrapperTool;

interface Called {
  /**
   * The program and its arguments. Placeholders: `{history}`, `{level}`, `{folder}` (which holds nothing else),
   * `{here}` (the folder of tools.json) and `{isolab}` (the file of the running command).
   */
  readonly command: readonly string[];
  /** Format of the histories that the tool reads. */
  readonly format: string;
  /** The tool's names of the levels that it checks. */
  readonly levels: Readonly<Record<string, string>>;
  /** Facts that may be lost when a history is written in that format, because the tool does not examine them. */
  readonly ignores?: readonly string[];
  /** Description of the published program, or the name of the entry that has it. */
  readonly program?: PublishedProgram | string;
}

/** A tool whose verdict is found by patterns in its output. */
export interface PatternTool extends Called {
  readonly protocol?: undefined;
  readonly verdict: { readonly satisfied: Sign; readonly violated: Sign };
  /**
   * A pattern whose first group is the time in milliseconds from opening the history to the verdict, as the program
   * prints it.
   */
  readonly fromFileMs?: string;
}

/** A tool that reads requests and writes answers in JSON lines; see wrapper.ts. */
interface WrapperTool extends Called {
  readonly protocol: 'json-lines';
}

/** Description of a program for a user who considers trusting or building it. */
export interface PublishedProgram {
  readonly title: string;
  /** Paper that the program belongs to. */
  readonly paper: string;
  readonly source: string;
  /** Requirements to build and to run the program. */
  readonly needs: string;
  /** File of the program that is searched for by name, and the way to set it up. */
  readonly setUp: string;
  /** Known errors of the program, and facts that it does not see. */
  readonly errs: readonly string[];
}

/** A pattern in the output, and perhaps an exit code, which alone could come from a crash. */
export interface Sign {
  readonly output: string;
  readonly exit?: number;
}

export type Tools = Readonly<Record<string, Tool>>;

/** Reads the tools of files; later files win, a missing file has none. `isolab` is our own command. */
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
      checkTool(tool, `${path}: ${name}`);
      tools[name] = {
        ...tool,
        command: tool.command.map((word) => (word === '{isolab}' ? isolab : placed(word, path))),
      };
    }
  }
  return tools;
}

/** Checks those parts of a tool that a user's file may have wrong. */
function checkTool(tool: Tool, where: string): void {
  const answers = tool.protocol === undefined ? tool.verdict?.satisfied && tool.verdict.violated : true;
  if (!(tool.command?.length > 0 && tool.format && tool.levels && answers))
    throw new BenchError(`${where} needs command, format, levels, and verdict or protocol.`);
  if (tool.protocol !== undefined) {
    if (tool.protocol !== 'json-lines' || 'verdict' in tool)
      throw new BenchError(
        `${where}: "protocol" is ${JSON.stringify(tool.protocol)}, expected "json-lines" and no "verdict".`,
      );
    return;
  }
  for (const [verdict, sign] of Object.entries(tool.verdict))
    if (typeof sign.output !== 'string')
      throw new BenchError(
        `${where}: "${verdict}" has no "output", the pattern of the tool’s output for this verdict. An exit code alone is not enough, because a crash has one too.`,
      );
  for (const pattern of [tool.verdict.satisfied.output, tool.verdict.violated.output, tool.fromFileMs])
    checkPattern(pattern, where);
}

function checkPattern(pattern: string | undefined, where: string): void {
  try {
    if (pattern !== undefined) RegExp(pattern, 'm');
  } catch (error) {
    throw new BenchError(`${where}: ${(error as Error).message}.`);
  }
}

/** Replaces `{here}` by the folder of tools.json itself, even if the path is a link to it. */
const placed = (word: string, path: string): string =>
  word.startsWith('{here}') ? join(dirname(realpathSync(path)), word.slice('{here}'.length)) : word;

/** Facts that the results of a tool depend on: its call, and the code of a package of this repository that it runs. */
export function toolVersion(tool: Tool): string {
  const { program: _, ...called } = tool;
  const scripts = tool.command.filter((word) => /\.[cm]?js$/.test(word) && existsSync(word));
  return JSON.stringify([called, programOf(tool), ...scripts.map((script) => codeVersion(pathToFileURL(script).href))]);
}

/** Prefix of a checker name that refers to an outside tool. */
export const TOOL_PREFIX = 'tool:';

export function programOf({ command }: Tool): string | null {
  const name = command[0]!;
  if (name.includes('/')) return isExecutable(name) ? name : null;
  return programOnPath(name);
}

/** Reason why a tool cannot answer, known before its history is read; null if it can be tried. */
export function whyNot(name: string, tool: Tool | undefined, level: string): string | null {
  if (!tool) return `absent tool: tools.json has no ${name}`;
  if (programOf(tool) === null) return `absent tool: ${tool.command[0]}; isolab list tools ${name} says how to get it`;
  return Object.hasOwn(tool.levels, level) ? null : `unsupported: ${name} does not check ${level}`;
}
