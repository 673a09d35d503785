/**
 * Tools of `isolab mcp`: for each, its description and the command lines that answer a call. Words of a caller are only
 * ever values of options and paths, so they cannot become options. No tool runs a program of the caller's choice:
 * `isolab record` starts a command, so it is no tool.
 */
import { join } from 'node:path';
import { UsageError } from '../terminal/exit.ts';

/** Values of a call, valid by the tool's schema. */
type Given = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Limits {
  readonly time: string;
  readonly memory: string;
}

/** Command lines for one call. */
export interface Lines {
  /** Prints the answer in words. */
  readonly text: readonly string[];
  /** Prints the answer as JSON; absent if `file` is written by the command of the text. */
  readonly json?: readonly string[];
  readonly file?: string;
  /** Names of the fields of the JSON in the structured answer; absent for all. */
  readonly fields?: readonly string[];
}

export interface Tool {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
    readonly required?: string[];
    readonly additionalProperties: false;
  };
  readonly annotations: Readonly<Record<`${'readOnly' | 'destructive' | 'openWorld'}Hint`, boolean>>;
  /** Receives the values, the limits and the path of an empty folder. */
  readonly command: (given: Given, limits: Limits, folder: string) => Lines;
}

const text = (description: string, maxLength: number = 200): object => ({
  type: 'string',
  minLength: 1,
  maxLength,
  description,
});
const PATH = text('path of a file or folder of histories, in any format that isolab reads', 4096);
const LEVEL = 'name of an isolation level, such as serializable, snapshot-isolation or read-committed';
const READS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };

const tool = (
  title: string,
  description: string,
  properties: Readonly<Record<string, object>>,
  required: string[],
  command: Tool['command'],
  annotations: Tool['annotations'] = READS,
): Tool => ({
  title,
  description,
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
  annotations,
  command,
});

export const TOOLS: Readonly<Record<string, Tool>> = {
  check: tool(
    'Check a history',
    'Checks a recorded history against an isolation level and returns the verdict: satisfied, violated (with the story of the anomaly) or unknown (with the reason). Without a level, it checks the level that the history claims, or all levels.',
    {
      path: PATH,
      level: text(LEVEL),
      certificate: text('path of a new file for the certificate of the verdict, which isolab verify checks', 4096),
    },
    ['path'],
    (given, limits, folder) => checking(given, limits, folder, []),
    { ...READS, readOnlyHint: false },
  ),
  explain: tool(
    'Explain a violation or a name',
    'Explains the violation of a level by a history in a few steps, on the smallest part of the history that still violates it (path and level). Or explains an anomaly, a level or a word of a verdict: what it is, its smallest history, the databases that allow it, how to prevent it (name).',
    { path: PATH, level: text(LEVEL), name: text('name of an anomaly, a level or a word of a verdict: lost-update') },
    [],
    ({ name, ...given }, limits, folder) => {
      if (typeof name === 'string' && given['path'] === undefined) return inBothForms(['explain'], [name]);
      if (name === undefined && given['path'] !== undefined && given['level'] !== undefined)
        return checking(given, limits, folder, ['--shrink']);
      throw new UsageError('explain needs either name, or both path and level.');
    },
  ),
  predict: tool(
    'Predict what a weaker level allows',
    'Predicts executions of the recorded transactions that a weaker isolation level allows and a stronger one forbids: the anomalies that could happen, and the repair that prevents them.',
    {
      path: PATH,
      level: text('weaker level, which allows the executions; read-committed if absent'),
      against: text('stronger level, which forbids them; serializable if absent'),
    },
    ['path'],
    (given, { time }, folder) => {
      const file = join(folder, 'answer.json');
      const asked = [...valueOf('level', given), ...valueOf('against', given)];
      return { text: ['predict', ...asked, `--time=${time}`, ...printing(file), '--', pathIn(given)], file };
    },
  ),
  levels: tool(
    'Look up isolation levels',
    'Lists the isolation levels that isolab knows (list), prints the definition of one (show), finds smallest histories that distinguish two (compare), or places one among the others (place).',
    {
      action: { type: 'string', enum: ['list', 'show', 'compare', 'place'], description: 'task' },
      levels: { type: 'array', items: text(LEVEL), maxItems: 2, description: 'none to list, two to compare, or one' },
    },
    ['action'],
    ({ action, levels = [] }) =>
      inBothForms(action === 'list' ? ['list', 'levels'] : ['levels', action as string], levels as readonly string[]),
  ),
  hermitage: tool(
    'Test a database for anomalies',
    'Starts a database of its own, plays known anomalies at each of its isolation levels, and shows which ones it allows. It never connects to a database of yours.',
    {
      engine: {
        ...text('embedded (PostgreSQL), or an engine with its version, such as mariadb@11.4.5'),
        pattern: String.raw`^(embedded|[a-z][a-z0-9-]*@[A-Za-z0-9.-]+)$`,
      },
      isolation: text('only this isolation level, by the name in the database, such as repeatable read'),
      case: text('only this case, such as G2-item, and its statements'),
    },
    [],
    ({ engine = 'embedded', ...given }, _, folder) => ({
      text: [
        'hermitage',
        `--db=${engine as string}`,
        ...valueOf('isolation', given),
        ...valueOf('case', given),
        `--out=${join(folder, 'played')}`,
      ],
      file: join(folder, 'played/hermitage.json'),
      fields: ['database', 'engine', 'levels'],
    }),
    { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  ),
};

/** Fields of a result without the runs of checkers, whose certificates may be as large as the history. */
const VERDICT =
  'verdict reason path level levels unknown strongest weakestViolated anomalies shrunk restsOn cutOff warnings checker history operations model'.split(
    ' ',
  );

function checking(given: Given, { time, memory }: Limits, folder: string, flags: readonly string[]): Lines {
  const file = join(folder, 'answer.json');
  const asked = [...valueOf('level', given), ...valueOf('certificate', given), ...flags];
  const line = ['check', ...asked, `--time=${time}`, `--memory=${memory}`, ...printing(file), '--', pathIn(given)];
  return { text: line, file, fields: VERDICT };
}

const printing = (file: string): string[] => ['--output=text', `--output=json=${file}`];

const inBothForms = (command: readonly string[], words: readonly string[]): Lines => ({
  text: [...command, '--', ...words],
  json: [...command, '--output=json', '--', ...words],
});

const valueOf = (name: string, given: Given): string[] =>
  given[name] === undefined ? [] : [`--${name}=${given[name] as string}`];

/** A path is never standard input, which belongs to the protocol. */
const pathIn = ({ path }: Given): string => (path === '-' ? './-' : (path as string));
