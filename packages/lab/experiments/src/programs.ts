/** Published programs among the tools: their descriptions, calls, and locations. */
import { isPublished } from '@isolab/figures';
import { type PublishedProgram, TOOL_PREFIX, type Tool, type Tools, programOf } from './experiment/tools.ts';

/** Entry of tools.json: a call of a program with a format. */
export interface Way {
  readonly name: string;
  readonly command: readonly string[];
  /** File of the program; null if it is not on the PATH. */
  readonly path: string | null;
  readonly format: string;
  readonly levels: readonly string[];
  readonly answers: 'in JSON lines' | 'as its patterns say';
}

export interface ListedProgram {
  /** Name of the entry with the program's description. */
  readonly name: string;
  /** Description of the program; null for a user's own tool. */
  readonly about: PublishedProgram | null;
  readonly ways: readonly Way[];
}

/** Lists the programs in the order of the entries, except entries that call isolab itself. */
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
