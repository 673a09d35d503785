/**
 * Output of `isolab check` for each history, on the terminal and in files: its story is made once for all requested
 * forms.
 */
import { eachLevel, visibleLine } from 'isolab/skin';
import type { CheckResult, EngineOptions, LevelName, Opened } from 'isolab/check';
import type { Story } from 'isolab';
import type { CommandFlags, LIMITS, READING, VERDICTS } from '../terminal/options.ts';
import type { PathsOutput } from './each-path.ts';
import { ExitCode, worseOf } from '../terminal/exit.ts';
import { type BriefStory, reasonAt, tell, tellAtOnce } from './judge.ts';
import { PLAIN, type Printer, type Style, toJson } from '../terminal/print.ts';
import { reportError } from '../terminal/report-error.ts';
import { appendTo } from '../terminal/targets.ts';
import { formsOf, isPicture } from '../terminal/outputs-asked.ts';
import { type Failure, cutOff, failedJson, failedText } from './failure.ts';
import { type Form, OutputFiles } from './output-files.ts';
import type { Sarif } from './sarif.ts';
import type { Suites } from './suites.ts';

export type VerdictFlags = CommandFlags<typeof READING | typeof LIMITS | typeof VERDICTS>;

export interface VerdictsOptions {
  /** Named levels, for a history without verdicts in JUnit XML. */
  readonly levels: readonly (LevelName | 'all')[];
  readonly engine: EngineOptions;
}

/** A checked history with its findings. */
interface Judged {
  readonly input: Opened;
  readonly result: CheckResult;
  readonly story: Story | null;
  /** Short stories of the other violations. */
  readonly briefs: readonly BriefStory[];
}

export class Verdicts {
  readonly #flags: VerdictFlags;
  readonly #options: VerdictsOptions;
  readonly #printer: Printer;
  readonly #forms: ReadonlySet<string>;
  /** Forms that are one document of all histories. */
  #suites: Suites | undefined;
  #sarif: Sarif | undefined;
  #files: OutputFiles | undefined;

  constructor(flags: VerdictFlags, options: VerdictsOptions, printer: Printer) {
    this.#flags = flags;
    this.#options = options;
    this.#printer = printer;
    this.#forms = formsOf(flags);
  }

  /** The output mentions every history, including unchecked ones. */
  async output(): Promise<PathsOutput> {
    const { output, summary, files = [] } = this.#flags;
    if (summary === undefined && files.length === 0 && (output === 'text' || isPicture(output))) return {};
    const forms = await this.#formsOfFailures();
    const printed = output === 'text' ? {} : (forms[output] ?? {});
    const { failed = () => '' } = printed;
    this.#files = files.length === 0 ? undefined : new OutputFiles(files, forms);
    const onFailed = (failure: Failure): void => {
      this.#suites?.fail(failure);
      this.#sarif?.fail(failure);
      if (output === 'json' || output === 'markdown') this.#printer.out(failed(failure));
      if (summary !== undefined) appendTo(summary, `${forms['markdown']!.failed!(failure)}\n`);
    };
    return {
      onFailed,
      ...(this.#files && { files: this.#files }),
      ...(printed.head !== undefined && { head: printed.head }),
      ...(printed.foot !== undefined && { foot: printed.foot }),
      missing: (path) => failed(cutOff(path)),
      ...(this.#document !== undefined && { judged: () => this.#document!.last() }),
    };
  }

  async #formsOfFailures(): Promise<Readonly<Record<string, Form>>> {
    const { failedMarkdown } = await import('./outputs.ts');
    const { levels } = this.#options;
    if (this.#forms.has('junit'))
      this.#suites = new (await import('./suites.ts')).Suites(levels.length === 0 ? ['all'] : levels);
    if (this.#forms.has('sarif')) this.#sarif = new (await import('./sarif.ts')).Sarif();
    return {
      text: { failed: failedText },
      json: { failed: failedJson },
      markdown: { failed: failedMarkdown },
      ...(this.#suites && { junit: this.#suites.form() }),
      ...(this.#sarif && { sarif: this.#sarif.form() }),
    };
  }

  /** Document that is printed after all histories have been checked. */
  get #document(): Suites | Sarif | undefined {
    return { junit: this.#suites, sarif: this.#sarif }[this.#flags.output];
  }

  /** Prints the findings on a history, keeps them for the files, and returns their exit code. */
  async say(input: Opened, result: CheckResult): Promise<number> {
    const { output, summary, verbose } = this.#flags;
    const judged = await this.#tell(input, result);
    if (this.#suites)
      this.#suites.add(result.path, (await import('./outputs.ts')).casesOf(result, storyOfViolation(judged)));
    this.#sarif?.add(result, storyOfViolation(judged));
    const printed = this.#document === undefined ? await this.#render(output, judged, this.#printer.style) : null;
    if (printed !== null) this.#printer.out(printed);
    let code: number = ExitCode.Satisfied;
    await this.#files?.add(async (form) => {
      try {
        return await this.#render(form, judged, PLAIN);
      } catch (error) {
        // An example is a page with too many transactions: the other files can still be written.
        code = worseOf(code, reportError(error, verbose === true, this.#printer));
        return null;
      }
    });
    if ([...this.#forms].some(isPicture)) {
      for (const why of result.uncertified) this.#printer.note(`${visibleLine(result.path)}: ${why}`);
      const isUndrawn =
        judged.story === null || [...this.#forms].some((form) => isDrawing(form) && isBare(judged.story));
      if (isUndrawn) this.#printer.note(`${visibleLine(result.path)}: there is nothing to draw: ${whyUndrawn(judged)}`);
    }
    if (summary !== undefined)
      appendTo(summary, `${(await import('./outputs.ts')).asMarkdown(result, storyOfViolation(judged))}\n`);
    return code;
  }

  /** Prints output that is known only after all histories have been checked. */
  end(): void {
    if (this.#document !== undefined) this.#printer.out(this.#document.whole().trimEnd());
  }

  /** A satisfied level needs a story only for a picture. */
  async #tell(input: Opened, result: CheckResult): Promise<Judged> {
    const { shrink, findAll, summary } = this.#flags;
    const { engine } = this.#options;
    const isViolated = result.deciding?.verdict.status === 'violated';
    const isDrawn = [...this.#forms].some(isPicture);
    const isExplained = shrink === true || summary !== undefined || EXPLAINED.some((form) => this.#forms.has(form));
    const isDecided = isDrawn || (isViolated && isExplained);
    let isSmallest = true;
    const onShrunk = (shrunk: { readonly isMinimal: boolean }): void => void (isSmallest = shrunk.isMinimal);
    const story = isDecided ? await tell(input, result, this.#flags, engine, this.#printer, onShrunk) : null;
    const briefs: BriefStory[] = [];
    for (const { level } of this.#forms.has('text') && findAll !== true ? result.violations : []) {
      const isTold = story?.level === level;
      const brief = isTold ? null : await tellAtOnce(input, result, this.#flags, engine, this.#printer, level);
      if (brief) briefs.push(brief);
      else if (isTold && shrink !== true) briefs.push({ story, isSmallest });
    }
    return { input, result, story, briefs };
  }

  async #render(form: string, judged: Judged, style: Style): Promise<string | null> {
    const { result, story, briefs } = judged;
    if (form === 'json') {
      const isShrunk = this.#flags.shrink === true && story?.verdict === 'violated';
      const { jsonOf } = await import('isolab/check');
      return toJson({ ...jsonOf(result), ...(isShrunk && { shrunk: shrunkOf(story) }) });
    }
    if (form === 'text') {
      const { asText } = await import('./verdict-text.ts');
      return asText(result, { story: this.#flags.shrink === true ? story : null, briefs }, { style });
    }
    if (form === 'junit') return this.#suites!.last();
    if (form === 'sarif') return this.#sarif!.last();
    const { asMarkdown, picture } = await import('./outputs.ts');
    if (form === 'markdown') return asMarkdown(result, storyOfViolation(judged));
    if (!isPicture(form) || story === null) return null;
    try {
      return picture(form, story);
    } catch (error) {
      // The order of a large history is not part of the verdict.
      const isNeeded = story.verdict === 'violated' || !(error instanceof Error && error.name === 'TooLargeError');
      if (isNeeded) throw error;
      this.#printer.note(`${visibleLine(result.path)}: no ${form} was written: ${error.message}`);
      return null;
    }
  }
}

/** Forms that explain a violation, besides pictures. */
const EXPLAINED = ['junit', 'markdown', 'sarif'];

const storyOfViolation = ({ story }: Judged): Story | null => (story?.verdict === 'violated' ? story : null);

const isDrawing = (form: string): boolean => form === 'svg' || form === 'dot';
const isBare = (story: Story | null): boolean => story?.transactions.length === 0;

function whyUndrawn({ result, story }: Judged): string {
  if (story !== null) return story.prose.map(({ text }) => text).join(' ');
  const [unknown] = eachLevel(result.levels).find(([, level]) => level.unknown !== null) ?? [];
  return unknown === undefined ? 'the checker gives no evidence for the violation' : reasonAt(unknown, result);
}

/** Adds the story of the smallest part for `--shrink --output json`. */
const shrunkOf = ({ anomaly, title, summary, isPart = false, ruledOut, leftStanding, prose, copies }: Story) => ({
  name: anomaly?.name ?? null,
  title,
  aliases: anomaly?.aliases ?? [],
  summary,
  isPart,
  ruledOut,
  leftStanding: leftStanding ?? null,
  explanation: prose.map(({ text }) => text),
  history: copies?.notation ?? null,
});
