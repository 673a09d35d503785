/** The published programs among the tools: their descriptions, the ways to call them, and their locations. */
import { isPublished } from '@isolab/figures';
import { type PublishedProgram, TOOL_PREFIX, type Tool, type Tools, programOf } from './experiment/tools.ts';

/** Entry of tools.json: a program with a format. */
export interface Way {
  readonly name: string;
  readonly command: readonly string[];
  /** The file of the program, or null where it is not on the PATH. */
  readonly path: string | null;
  readonly format: string;
  readonly levels: readonly string[];
  readonly answers: 'in JSON lines' | 'as its patterns say';
}

export interface ListedProgram {
  /** Name of the entry that describes the program. */
  readonly name: string;
  /** Description of the program; null for a user's own tool. */
  readonly about: PublishedProgram | null;
  readonly ways: readonly Way[];
}

/** In the order of the entries. Those that call isolab itself are none. */
export function programsIn(tools: Tools): ListedProgram[] {
  const published = Object.entries(tools).filter(([name]) => isPublished(TOOL_PREFIX + name));
  return published
    .filter(([, { program }]) => typeof program !== 'string')
    .map(([name, tool]) => ({
      name,
      about: (tool.program as PublishedProgram | undefined) ?? null,
      ways: published.flatMap(([each, way]) => (each === name || way.program === name ? [wayOf(each, way)] : [])),
    }));
}

const wayOf = (name: string, tool: Tool): Way => ({
  name,
  command: tool.command,
  path: programOf(tool),
  format: tool.format,
  levels: Object.keys(tool.levels),
  answers: tool.protocol === undefined ? 'as its patterns say' : 'in JSON lines',
});
