import { API_VERSION, type Checker, LEVELS, type LevelName, implies, requirementsAt } from '@isolab/contract';
import { HISTORY_SHAPES, type History } from '@isolab/history';
import fc from 'fast-check';
import { type HistoryBounds, arbitraryHistory } from './arbitrary.ts';
import { bigHistories } from './big-histories.ts';
import {
  type Case,
  DEFAULT_SELECTIONS,
  NAMED_CASES,
  RANDOM_KINDS,
  type Selection,
  caseOf,
  exhaustiveCases,
  randomCases,
} from './corpus.ts';
import { type Claims, certificateProblem, verdictProblem } from './judge.ts';
import { METAMORPHOSES } from './metamorphic.ts';
import { h, historyOf, printHistory } from './notation.ts';
import { type TestInput, type TestRun, inputFor, missingShape, observeForTest } from './run.ts';

export interface ConformanceOptions {
  /** Small histories to try; default: DEFAULT_SELECTIONS. */
  readonly exhaustive?: readonly Selection[];
  /** Number of random histories of each kind, level and variant; default: 60. */
  readonly runs?: number;
  /** Seed of the random histories; default: 1. */
  readonly seed?: number;
  /** Further bounds of the random histories, such as the number of transactions. */
  readonly bounds?: HistoryBounds;
  /** Verdicts that must have a certificate on request; default: both. */
  readonly certificates?: 'both' | 'satisfied' | 'none';
  /**
   * Variants that promise less than the checker itself, such as a variant that reproduces the misses of a published
   * tool.
   */
  readonly variants?: Readonly<Record<string, Partial<Claims>>>;
  /** Number of transactions in the histories of the metamorphic tests; default: 12. */
  readonly size?: number;
  /** Step limit for a run of a metamorphic test. A run beyond the limit decides nothing. */
  readonly maxSteps?: number;
  /** Histories for which a verdict is known to be wrong. Each exception must be documented in the checker's README. */
  readonly except?: (history: History, level: LevelName, variant: string | null) => boolean;
}

/** A requirement on checkers. Throws an error with the history if the requirement is not met. */
export interface ConformanceCheck {
  readonly group: string;
  readonly name: string;
  run(): Promise<void>;
}

export function conformanceChecks<Options>(checker: Checker<Options>, options: ConformanceOptions = {}) {
  const suite = new Suite(checker, options);
  return [
    ...suite.general(),
    ...checker.info.levels.flatMap((level) => [
      ...[null, ...variantsForAll(checker)].flatMap((variant) => suite.agreement(level, variant)),
      ...suite.onLevel(level),
    ]),
  ];
}

/** Variants that need a device have separate tests, which detect whether the device is present. */
const variantsForAll = <Options>({ info }: Checker<Options>): string[] =>
  Object.keys(info.variants).filter((name) => info.variants[name]!.needs === undefined);

class Suite<Options> {
  readonly #checker: Checker<Options>;
  readonly #options: ConformanceOptions;
  /**
   * Each history is checked at many levels with the same input, as in practice, which exposes a checker that changes
   * its input.
   */
  readonly #inputs = new WeakMap<History, TestInput>();

  constructor(checker: Checker<Options>, options: ConformanceOptions) {
    this.#checker = checker;
    this.#options = options;
  }

  general(): ConformanceCheck[] {
    return [{ group: 'info', name: 'has complete and consistent info', run: async () => this.#checkInfo() }];
  }

  /** Checks the agreement of a variant with the truth at a level. */
  agreement(level: LevelName, variant: string | null): ConformanceCheck[] {
    const group = variant === null ? level : `${level}, ${variant}`;
    const selections = this.#options.exhaustive ?? DEFAULT_SELECTIONS;
    const decided = { satisfied: 0, violated: 0, unknown: 0 };
    const agree = async (history: History, holds: (level: LevelName) => boolean, name = ''): Promise<void> => {
      const status = await this.#agree(history, level, variant, holds, name);
      if (status !== null) decided[status]++;
    };
    const onCases = async (cases: readonly Case[]): Promise<void> => {
      for (const { name, history, holds } of cases) await agree(history, holds, name);
    };
    return [
      { group, name: 'agrees with the named histories', run: () => onCases(NAMED_CASES) },
      { group, name: 'agrees with the oracle on small histories', run: () => onCases(exhaustiveCases(selections)) },
      ...Object.entries(RANDOM_KINDS).map(([kind, bounds]) => ({
        group,
        name: `agrees with the oracle on random histories: ${kind}`,
        run: () =>
          this.#onRandom({ ...bounds, ...this.#options.bounds }, ({ history, holds }) => agree(history, holds)),
      })),
      {
        group,
        name: 'gave both verdicts',
        run: async () => {
          if (decided.satisfied > 0 && decided.violated > 0) return;
          throw new Error(`None of the histories above was found ${decided.satisfied > 0 ? 'violated' : 'satisfied'}.`);
        },
      },
    ];
  }

  onLevel(level: LevelName): ConformanceCheck[] {
    const certificates = this.#options.certificates ?? 'both';
    return [
      { group: level, name: 'gives the same verdict twice', run: () => this.#checkDeterminism(level) },
      { group: level, name: 'stops when its budget is spent', run: () => this.#checkBudget(level) },
      { group: level, name: 'handles unusual histories', run: () => this.#checkStrange(level) },
      ...Object.entries(METAMORPHOSES).map(([name, change]) => ({
        group: level,
        name: `gives the same verdict after ${name}`,
        run: () => this.#checkMetamorphosis(level, change),
      })),
      {
        group: level,
        name: 'finds no violation at weaker levels of a satisfied history',
        run: () => this.#checkWeaker(level),
      },
      ...(certificates === 'none'
        ? []
        : [
            {
              group: level,
              name: 'certifies its verdicts',
              run: () => this.#checkCertificates(level, certificates),
            },
          ]),
    ];
  }

  #checkInfo(): void {
    const { name, title, version, apiVersion, levels, options, variants } = this.#checker.info;
    const insist = (holds: boolean, problem: string): void => {
      if (!holds) throw new Error(problem);
    };
    insist(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name), `info.name is "${name}", expected kebab-case`);
    insist(title !== '' && version !== '', 'info.title or info.version is empty');
    insist(apiVersion === API_VERSION, `info.apiVersion is ${String(apiVersion)}, expected ${API_VERSION}`);
    insist(levels.length > 0, 'info.levels is empty');
    for (const level of levels)
      insist(
        LEVELS.some((known) => known.name === level),
        `there is no level ${level}`,
      );
    for (const shape of requirementsAt(this.#checker.info).flat())
      insist(Object.hasOwn(HISTORY_SHAPES, shape), `there is no shape ${shape}`);
    for (const [option, spec] of Object.entries<{ help: string }>(options)) {
      insist(spec.help !== '', `the option ${option} has no help`);
    }
    for (const [variant, { help, options: set }] of Object.entries(variants)) {
      insist(help !== '', `the variant ${variant} has no help`);
      for (const option of Object.keys(set)) {
        insist(Object.hasOwn(options, option), `the variant ${variant} sets ${option}, which is not an option`);
      }
    }
    for (const variant of Object.keys(this.#options.variants ?? {})) {
      insist(Object.hasOwn(variants, variant), `the suite names a variant ${variant}, which does not exist`);
    }
  }

  /** Returns the status of the verdict; null if the checker does not accept the history. */
  async #agree(
    history: History,
    level: LevelName,
    variant: string | null,
    holds: (level: LevelName) => boolean,
    name: string,
  ) {
    const input = this.#inputFor(history);
    if (missingShape(this.#checker, input, level) !== null || this.#options.except?.(history, level, variant))
      return null;
    const { verdict } = await this.#observe(history, level, { variant });
    const claims = { ...this.#checker.info, ...(variant === null ? {} : this.#options.variants?.[variant]) };
    this.#report(
      verdictProblem(this.#checker, input, level, verdict, holds(level), claims),
      history,
      level,
      variant,
      name,
    );
    return verdict.status;
  }

  async #checkDeterminism(level: LevelName): Promise<void> {
    for (const { history, name } of [...NAMED_CASES, ...exhaustiveCases(SMALL)]) {
      const first = await this.#observe(history, level, { certify: true, findAll: true });
      const second = await this.#observe(history, level, { certify: true, findAll: true });
      const [a, b] = [first, second].map(({ verdict, steps }) => JSON.stringify([verdict, steps]));
      this.#report(a === b ? null : `got ${a}, then ${b}`, history, level, null, name);
    }
  }

  async #checkBudget(level: LevelName): Promise<void> {
    const fit = bigHistories().filter((history) => this.#takes(history, level));
    if (fit.length === 0) throw new Error('None of the big histories has the shapes that the checker requires.');
    for (const history of fit) {
      const { verdict, stopped } = await this.#observe(history, level, { maxSteps: 5 });
      const right = stopped && verdict.status === 'unknown' && verdict.reason === 'steps';
      const problem = stopped ? `it caught Stop and returned ${verdict.status}` : `it did not charge more than 5 steps`;
      this.#report(right ? null : problem, history, level, null, 'a big history');
    }
  }

  async #checkStrange(level: LevelName): Promise<void> {
    for (const history of STRANGE) {
      const input = this.#inputFor(history);
      const { verdict } = await this.#observe(history, level, { certify: true, findAll: true });
      const problem = verdictProblem(this.#checker, input, level, verdict, null);
      // Shapes do not describe all unusual histories that a checker refuses.
      const refused = verdict.status === 'unknown' && verdict.reason === 'unsupported';
      this.#report(refused ? null : problem, history, level, null, 'an unusual history');
    }
  }

  async #checkMetamorphosis(level: LevelName, change: (history: History) => History): Promise<void> {
    await this.#onBigRandom(async (history) => {
      const changed = change(history);
      const maxSteps = this.#options.maxSteps ?? 1_000_000;
      const before = (await this.#observe(history, level, { maxSteps })).verdict.status;
      const after = (await this.#observe(changed, level, { maxSteps })).verdict.status;
      if (before === 'unknown' || after === 'unknown' || before === after) return;
      this.#report(`got ${before}, but ${after} for\n${printed(changed)}`, history, level, null, 'before the change');
    });
  }

  async #checkWeaker(level: LevelName): Promise<void> {
    const weaker = this.#checker.info.levels.filter((weak) => weak !== level && implies(level, weak));
    if (weaker.length === 0) return;
    await this.#onBigRandom(async (history) => {
      const maxSteps = this.#options.maxSteps ?? 1_000_000;
      if ((await this.#observe(history, level, { maxSteps })).verdict.status !== 'satisfied') return;
      for (const weak of weaker) {
        const { verdict } = await this.#observe(history, weak, { maxSteps });
        const problem = verdict.status === 'violated' ? `got violated, but ${level} is satisfied` : null;
        this.#report(problem, history, weak, null, '');
      }
    });
  }

  async #checkCertificates(level: LevelName, expected: 'both' | 'satisfied'): Promise<void> {
    const check = async (history: History, name = ''): Promise<void> => {
      const input = this.#inputFor(history);
      if (missingShape(this.#checker, input, level) !== null) return;
      const { verdict } = await this.#observe(history, level, { certify: true });
      this.#report(certificateProblem(input, level, verdict, expected), history, level, null, name);
    };
    for (const { history, name } of [...NAMED_CASES, ...exhaustiveCases(SMALL)]) await check(history, name);
    for (const bounds of Object.values(RANDOM_KINDS)) await this.#onRandom(bounds, ({ history }) => check(history));
  }

  #observe(history: History, level: LevelName, run: TestRun) {
    return observeForTest(this.#checker, this.#inputFor(history), level, run);
  }

  #takes(history: History, level: LevelName): boolean {
    return missingShape(this.#checker, this.#inputFor(history), level) === null;
  }

  #inputFor(history: History): TestInput {
    const known = this.#inputs.get(history);
    if (known) return known;
    const input = inputFor(this.#checker, history);
    this.#inputs.set(history, input);
    return input;
  }

  #onBigRandom(check: (history: History) => Promise<void>): Promise<void> {
    const { size = 12 } = this.#options;
    const bounds: HistoryBounds = { atLeast: Math.ceil(size / 2), transactions: size, aborted: true, keys: 3 };
    const kinds = [bounds, { ...bounds, times: true, readFirst: true, operations: 2 }, { ...bounds, lists: true }];
    return kinds.reduce(async (before, kind) => {
      await before;
      await this.#onRandom(kind, ({ history }) => check(history));
    }, Promise.resolve());
  }

  async #onRandom(bounds: HistoryBounds, check: (one: Case) => Promise<void>): Promise<void> {
    const { runs = 60, seed = 1 } = this.#options;
    const failure = await firstFailure(await randomCases(bounds, runs, seed), check);
    if (failure === null) return;
    // Draws a failing case again in order to shrink it.
    const property = fc.asyncProperty(arbitraryHistory(bounds), (history) => check(caseOf('', history)));
    const { failed, errorInstance, counterexamplePath } = await fc.check(property, { numRuns: runs, seed });
    if (!failed) throw failure;
    // The smallest failure identifies its history; fast-check would print the history's columns.
    const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
    throw new Error(`${message}\n(seed ${seed}, path ${counterexamplePath})`, { cause: errorInstance });
  }

  #report(problem: string | null, history: History, level: LevelName, variant: string | null, name: string): void {
    if (problem === null) return;
    const who = variant === null ? this.#checker.info.name : `${this.#checker.info.name} (${variant})`;
    throw new Error(`${who} at ${level}: ${problem}\n${name}:\n${printed(history)}`);
  }
}

async function firstFailure(cases: readonly Case[], check: (one: Case) => Promise<void>): Promise<Error | null> {
  try {
    for (const one of cases) await check(one);
    return null;
  } catch (error) {
    return error as Error;
  }
}

const SMALL: readonly Selection[] = [{ bounds: { sessions: 2, transactions: 2, keys: 2, operations: 2 }, every: 3 }];

const STRANGE: readonly History[] = [
  historyOf([]),
  h`!w(x,1)`,
  h`?r(x,1)`,
  h`r(x,?) w(x,1)
    r(x,nil)`,
  h`w(x,1) a(x,2)
    r(x,12)`,
  h`a(x,1) | w(y,1)
    r(x,[1]) r(y,1) | r(x,[?])`,
  h`cas(x,0,1) | ins!(y,3,4)
    cas!(x,7,8) del(y,4,nil) | range(*,*,x=1)`,
];

function printed(history: History): string {
  try {
    return printHistory(history);
  } catch {
    return '(a history that the notation cannot express)';
  }
}
