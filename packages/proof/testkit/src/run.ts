import {
  type CheckInput,
  type Checker,
  type InputOf,
  type LevelName,
  Stop,
  type Verdict,
  indexed,
  requirementsAt,
} from '@isolab/contract';
import {
  type History,
  type HistoryShape,
  OpKind,
  SHAPES_WITHOUT_EXCHANGES,
  checkShape,
  toRegisters,
} from '@isolab/history';
import { TestContext } from './test-context.ts';

export interface TestRun {
  readonly variant?: string | null;
  readonly options?: object;
  readonly certify?: boolean;
  readonly findAll?: boolean;
  /** Number of steps after which `tick` throws Stop; default: no limit. */
  readonly maxSteps?: number;
}

/** Input of a checker, and the history with scans that was lowered for it. */
export type TestInput = InputOf<'history' | 'scans'> & Lowered;

interface Lowered {
  readonly given?: History;
}

export interface TestOutcome {
  readonly verdict: Verdict;
  readonly steps: number;
  /** Whether the budget was exhausted, so that the checker had to stop. */
  readonly stopped: boolean;
  readonly stages: readonly string[];
}

/** Runs a checker as a host does: lowers exchanges and ranges, refuses unsuitable shapes, and supplies a context. */
export async function runForTest<Options>(
  checker: Checker<Options>,
  history: History,
  level: LevelName,
  run: TestRun = {},
): Promise<Verdict> {
  return (await observeForTest(checker, inputFor(checker, history), level, run)).verdict;
}

/** Runs a checker and records its reports to the context. The input may be reused. */
export async function observeForTest<Options>(
  checker: Checker<Options>,
  input: CheckInput,
  level: LevelName,
  { variant = null, options = {}, certify = false, findAll = false, maxSteps = Infinity }: TestRun,
): Promise<TestOutcome> {
  const missing = missingShape(checker, input, level);
  if (missing !== null) {
    const verdict: Verdict = { status: 'unknown', reason: 'unsupported', detail: `the history is not ${missing}` };
    return { verdict, steps: 0, stopped: false, stages: [] };
  }
  const context = new TestContext({ certify, findAll, maxSteps });
  const verdict = await verdictOf(() => checker.check(input, level, optionsOf(checker, variant, options), context));
  const { steps, stopped, stages } = context;
  return { verdict, steps, stopped, stages };
}

async function verdictOf(check: () => Verdict | Promise<Verdict>): Promise<Verdict> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { status: 'unknown', reason: error.reason, detail: error.message };
  }
}

/** Returns the input that the host gives a checker. Exchanges and ranges are lowered for checkers of registers. */
export function inputFor<Options>(checker: Checker<Options>, history: History): InputOf<'history'> & Lowered {
  const input = prepare(history);
  const mustBeLowered = checker.info.requires.some((shapes) => {
    const alternatives = alternativesOf(shapes);
    const takesExchanges = alternatives.some(
      (shape) => !SHAPES_WITHOUT_EXCHANGES.includes(shape) && hasShape(input, shape),
    );
    return alternatives.some((shape) => SHAPES_WITHOUT_EXCHANGES.includes(shape)) && !takesExchanges;
  });
  const canLower = history.opKind.some((kind) => kind >= OpKind.CompareAndSet);
  if (!mustBeLowered || !canLower) return input;
  const lowered = prepare(toRegisters(history).history);
  return history.scans.table.length > 0 ? { ...lowered, given: history } : lowered;
}

/** Returns the default values of a checker's options. */
export const defaultsOf = <Options>(checker: Checker<Options>): Options => optionsOf(checker, null, {});

export const prepare = (history: History): InputOf<'history'> => ({ kind: 'history', ...indexed(history) });

const alternativesOf = (shapes: HistoryShape | readonly HistoryShape[]): readonly HistoryShape[] =>
  typeof shapes === 'string' ? [shapes] : shapes;

/** A scan concerns many keys, even if its lowered form reads only a few of them. */
function hasShape(input: Exclude<CheckInput, InputOf<'polygraph'>> & Lowered, shape: HistoryShape): boolean {
  const { history, index, given = input.kind === 'scans' ? input.withScans : history } = input;
  return checkShape(shape === 'single-keys' ? given : history, index, shape).holds;
}

/** Returns the first requirement of a checker at a level that a history does not meet; null if it meets all. */
export function missingShape<Options>(
  checker: Checker<Options>,
  input: CheckInput & Lowered,
  level: LevelName,
): string | null {
  if (input.kind === 'polygraph') return null;
  for (const alternatives of requirementsAt(checker.info, level).map(alternativesOf)) {
    if (!alternatives.some((shape) => hasShape(input, shape))) return alternatives.join(' or ');
  }
  return null;
}

function optionsOf<Options>({ info }: Checker<Options>, variant: string | null, options: object): Options {
  if (variant !== null && !Object.hasOwn(info.variants, variant))
    throw new RangeError(`${info.name} got the variant ${variant}; it has ${Object.keys(info.variants).join(', ')}.`);
  const chosen: Record<string, unknown> = {};
  for (const name in info.options) chosen[name] = info.options[name].default;
  return Object.assign(chosen, variant === null ? {} : info.variants[variant]!.options, options) as Options;
}
