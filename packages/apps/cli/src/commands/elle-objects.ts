import { visibleLine } from 'isolab/skin';
import type { Story } from 'isolab';
import { checkOperations, MODELS, type OperationResult, readJepsenEvents, readOperationsAt } from 'isolab/objects';
import { JEPSEN_CHECKERS, type JepsenOptions, type JepsenResults } from '@isolab/objects/jepsen';
import { ExitCode } from '../terminal/exit.ts';
import { wholeNumber } from '../terminal/words.ts';

/** Flags of elle-cli's models other than Elle's own. */
export interface ElleObjectFlags {
  readonly model: string;
  readonly format?: string;
  readonly groupSize?: string;
  readonly allowNegativeBalances?: boolean;
  readonly totalAmount?: string;
}

/** Verdict and findings in the form of elle-cli. */
export interface ElleVerdict {
  readonly valid: 'true' | 'false' | 'unknown';
  readonly code: number;
  readonly analysis: unknown;
  readonly told: readonly string[];
  readonly story?: Story | null;
}

export const isObjectModel = (model: string): boolean =>
  Object.hasOwn(JEPSEN_CHECKERS, model) || Object.hasOwn(MODELS, model);

export const OBJECT_MODELS: readonly string[] = [...Object.keys(JEPSEN_CHECKERS), ...Object.keys(MODELS)];

/**
 * Checks a history by a checker of Jepsen's, or by a model as knossos does: `set` and `counter` are Jepsen's checkers.
 */
export async function judgeByModel(path: string, flags: ElleObjectFlags): Promise<ElleVerdict> {
  const { model, format } = flags;
  const reading = format === undefined ? {} : { format };
  if (Object.hasOwn(JEPSEN_CHECKERS, model)) {
    const events = await readJepsenEvents(path, reading);
    return ofResults(inFile(path, () => JEPSEN_CHECKERS[model]!(events, optionsOf(flags))));
  }
  const { history, initial } = await readOperationsAt(path, reading);
  const result = await checkOperations(history, model, {
    level: 'linearizable',
    nilIsUnknown: true,
    told: true,
    ...(initial !== undefined && { initial }),
  });
  return ofResult(result);
}

function optionsOf({ groupSize, allowNegativeBalances, totalAmount }: ElleObjectFlags): JepsenOptions {
  return {
    ...(groupSize !== undefined && { groupSize: wholeNumber('--group-size', groupSize) }),
    ...(totalAmount !== undefined && { totalAmount: wholeNumber('--total-amount', totalAmount) }),
    ...(allowNegativeBalances && { allowNegativeBalances }),
  };
}

/** Adds the file name to errors. */
function inFile<Result>(path: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (error instanceof Error && (error.name === 'IllegalHistory' || error.name === 'EventError'))
      error.message = `${visibleLine(path)}, ${error.message}`;
    throw error;
  }
}

const CODES = { true: ExitCode.Satisfied, false: ExitCode.Violated, unknown: ExitCode.Unknown } as const;

function ofResults(results: JepsenResults): ElleVerdict {
  const valid = String(results['valid?']) as ElleVerdict['valid'];
  const told = Object.entries(results).filter(([name, value]) => name !== 'valid?' && typeof value !== 'object');
  return {
    valid,
    code: CODES[valid],
    analysis: plain(results),
    told: valid === 'true' ? [] : told.map(([name, value]) => `  ${name}: ${String(value)}`),
  };
}

function ofResult({
  verdict,
  story,
  summary,
  detail,
  certificate,
  configurations,
  operations,
}: OperationResult): ElleVerdict {
  const valid = ({ satisfied: 'true', violated: 'false', unknown: 'unknown' } as const)[verdict];
  const told = [summary, detail].flatMap((text) => (text === null || text === undefined ? [] : [`  ${text}`]));
  return {
    valid,
    code: CODES[valid],
    analysis: {
      'valid?': verdict === 'unknown' ? 'unknown' : verdict === 'satisfied',
      analyzer: 'wgl',
      operations,
      configurations,
      summary,
      certificate,
    },
    told: valid === 'true' ? [] : told,
    story: valid === 'false' ? story : null,
  };
}

/** Converts maps to objects, sets to arrays, and keywords to strings without their colon. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^:(?=\S)/, '');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Set) return [...value].map(plain);
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [String(plain(key)), plain(each)]));
}
