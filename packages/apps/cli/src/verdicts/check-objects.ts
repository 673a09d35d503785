import { writeFileTo } from 'isolab/formats';
import { visibleLine } from 'isolab/skin';
import {
  checkOperations,
  OPERATION_LEVELS,
  operationCertificate,
  type OperationLevel,
  type OperationResult,
  parseValue,
  readOperationsAt,
} from 'isolab/objects';
import type { JunitCase } from 'isolab/stories';
import type { CheckFlags } from '../terminal/options.ts';
import { type PathsOutput, eachPath } from './each-path.ts';
import { ExitCode, UsageError, codeOf, worseOf } from '../terminal/exit.ts';
import { limitsOf } from '../terminal/limits.ts';
import { claimFiles, formsOf, isPicture } from '../terminal/outputs-asked.ts';
import { cutOff, failedJson, failedText } from './failure.ts';
import { type Form, OutputFiles } from './output-files.ts';
import type { Suites } from './suites.ts';
import { PLAIN, type Printer, type Style, count, toJson } from '../terminal/print.ts';
import { comparedWithStore } from './store-results.ts';
import { insistOnTarget } from '../terminal/targets.ts';

export type ObjectFlags = CheckFlags & { readonly model: string };

/** `isolab check --model`: checks whether operations on an object are linearizable, or sequentially consistent. */
export async function checkObjects(paths: readonly string[], flags: ObjectFlags, printer: Printer): Promise<number> {
  const levels = levelsOf(flags.level);
  const { files = [], certificate } = flags;
  const forms = [...formsOf(flags)];
  insistOnOutputs(paths, levels, flags);
  const initial = flags.initial === undefined ? undefined : parseValue(flags.initial, '--initial');
  const { timeMs, steps, memoryBytes } = limitsOf(flags);
  claimFiles(files, { inputs: paths, force: flags.force, others: { '--certificate': certificate } });
  const suites = forms.includes('junit') ? new (await import('./suites.ts')).Suites(levels) : null;
  const kinds = await formsOfFailures(suites);
  const filed = files.length === 0 ? null : new OutputFiles(files, kinds);
  const judge = async (path: string): Promise<number> => {
    const document = await readOperationsAt(path, {
      ...(flags.format !== undefined && { format: flags.format }),
      ...(timeMs !== undefined && { timeMs }),
    });
    const first = initial ?? document.initial;
    let code: number = ExitCode.Satisfied;
    const results: OperationResult[] = [];
    for (const level of levels) {
      const result = await checkOperations(document.history, flags.model, {
        level,
        told: forms.some((form) => form !== 'text'),
        ...(first !== undefined && { initial: first }),
        ...(flags.independent && { independent: true }),
        ...(timeMs !== undefined && { timeMs }),
        ...(steps !== undefined && { steps }),
        ...(memoryBytes !== undefined && { memoryBytes }),
      });
      results.push(result);
      code = worseOf(code, codeOf({ status: result.verdict }));
      printer.judged(code);
      await print(path, result, flags, printer);
      await filed?.add((form) => render(form, path, result, PLAIN));
      if (certificate !== undefined) code = worseOf(code, await keep(certificate, result, flags, first, printer));
    }
    suites?.add(path, results.map(caseOf));
    await filed?.add(async (form) => (form === 'junit' ? suites!.last() : null));
    const compared = await comparedWithStore(path, code);
    if (compared !== null) printer.note(compared);
    return code;
  };
  const code = await eachPath(paths, flags, printer, judge, pathsOutput(flags.output, kinds, suites, filed, printer));
  if (flags.output === 'junit') printer.out(suites!.whole().trimEnd());
  return code;
}

/** Refuses outputs that cannot be written, before any check. */
function insistOnOutputs(paths: readonly string[], levels: readonly string[], flags: ObjectFlags): void {
  const { certificate, force } = flags;
  if (certificate !== undefined) {
    if (paths.length > 1 || levels.length > 1) throw new UsageError('--certificate needs one history and one level.');
    insistOnTarget(certificate, { inputs: paths, ...(force && { force: true }), made: 'certificate' });
  }
  const drawn = [...formsOf(flags)].find(isPicture);
  if (drawn !== undefined && (paths.length > 1 || levels.length > 1))
    throw new UsageError(`--output ${drawn} needs one history and one level.`);
}

function pathsOutput(
  output: string,
  kinds: Readonly<Record<string, Form>>,
  suites: Suites | null,
  files: OutputFiles | null,
  printer: Printer,
): PathsOutput {
  // For a history that could not be read, text output adds no information to the message.
  const { head, foot, failed } = (output === 'text' ? undefined : kinds[output]) ?? {};
  return {
    ...(files !== null && { files }),
    ...(head !== undefined && { head }),
    ...(foot !== undefined && { foot }),
    missing: (path) => failed?.(cutOff(path)) ?? '',
    onFailed: (failure) => {
      suites?.fail(failure);
      if (output !== 'junit' && failed !== undefined) printer.out(failed(failure));
    },
    ...(output === 'junit' && { judged: () => suites!.last() }),
  };
}

/** Output for a history that could not be checked. */
async function formsOfFailures(suites: Suites | null): Promise<Readonly<Record<string, Form>>> {
  const { failedMarkdown } = await import('./outputs.ts');
  return {
    text: { failed: failedText },
    json: { failed: failedJson },
    markdown: { failed: failedMarkdown },
    ...(suites !== null && { junit: suites.form() }),
  };
}

function levelsOf(words: string = 'linearizable'): readonly OperationLevel[] {
  if (words === 'all') return OPERATION_LEVELS;
  return words.split(',').map((word) => {
    const level = OPERATION_LEVELS.find((each) => each === (ALIASES[word] ?? word));
    if (level === undefined)
      throw new UsageError(`--level of a --model must be ${OPERATION_LEVELS.join(', ')} or all, not ${word}.`);
    return level;
  });
}

const ALIASES: Readonly<Record<string, OperationLevel>> = { 'sequential-consistency': 'sequential' };

async function print(path: string, result: OperationResult, flags: ObjectFlags, printer: Printer): Promise<void> {
  const text = await render(flags.output, path, result, printer.style);
  if (text !== null) printer.out(text);
  if (result.story === null && [...formsOf(flags)].some(isPicture))
    printer.note(`${visibleLine(path)}: there is nothing to draw: ${result.detail ?? 'no verdict'}`);
}

/** Returns null for a picture without content, and for JUnit, which reports all levels of a history together. */
async function render(form: string, path: string, result: OperationResult, style: Style): Promise<string | null> {
  const { story, ...plain } = result;
  if (form === 'junit') return null;
  if (form === 'json') return toJson({ path, ...plain, ...(result.verdict === 'violated' && { story }) });
  if (form === 'text') return asText(path, result, style);
  if (form === 'markdown') return asMarkdown(path, result);
  if (story === null) return null;
  const { drawDot, drawSvg, viewHtml } = await import('isolab/stories');
  return { html: viewHtml, svg: drawSvg, dot: drawDot }[form as 'html'](story);
}

async function asMarkdown(path: string, result: OperationResult): Promise<string> {
  const { escapeMarkdown, storyMarkdown } = await import('isolab/stories');
  const { model, level, verdict, detail, story } = result;
  const why = detail === undefined ? '' : ` (${escapeMarkdown(visibleLine(detail))})`;
  return [
    `## ${escapeMarkdown(visibleLine(path))}`,
    `${level} ${escapeMarkdown(visibleLine(model))}: ${verdict}${why}`,
    ...(story === null ? [] : [storyMarkdown(story, { heading: 3 })]),
  ].join('\n\n');
}

function asText(path: string, result: OperationResult, style: Style): string {
  const { model, level, verdict, operations, pending, failed, detail, certificate, uncertified, stopped } = result;
  const colour = { satisfied: style.green, violated: style.red, unknown: style.yellow }[verdict];
  const lines = [
    `${colour(verdict.padEnd(9))}  ${style.bold(`${level} ${model}`)}  ${visibleLine(path)}${style.dim(`  in ${result.ms.toFixed(0)} ms`)}`,
  ];
  if (verdict === 'violated' && result.summary !== null) lines.push(`  ${visibleLine(result.summary)}`);
  if (detail !== undefined) lines.push(`  ${visibleLine(detail)}`);
  const rests = [
    count(operations, 'operation'),
    ...(pending > 0 ? [`${pending} pending`] : []),
    ...(failed > 0 ? [`${failed} failed operations left out`] : []),
  ];
  const proof =
    certificate === null
      ? null
      : certificate.kind === 'operation-order'
        ? 'an order of the operations was verified'
        : `${partOf(certificate)}${stopped === null ? '' : `; a smaller set may have no order, either: ${stopped}`}`;
  lines.push(
    style.dim(
      `  ${[rests.join(', '), ...(proof === null ? [] : [proof]), ...(uncertified === null ? [] : [uncertified])].join('; ')}`,
    ),
  );
  return lines.join('\n');
}

const partOf = ({ kept, relaxed }: { readonly kept: readonly number[]; readonly relaxed: readonly number[] }): string =>
  `${kept.length} of them ${kept.length === 1 ? 'has' : 'have'} no order${relaxed.length === 0 ? '' : `, whether ${count(relaxed.length, 'other')} took effect or not`}, as was verified`;

async function keep(
  target: string,
  result: OperationResult,
  { model, initial, independent }: ObjectFlags,
  first: unknown,
  printer: Printer,
): Promise<number> {
  const words = {
    model,
    ...(initial !== undefined ? { initial } : first === undefined ? {} : { initial: JSON.stringify(first) }),
    ...(independent && { independent: true }),
  };
  const file = operationCertificate(result, words);
  if (file === null) {
    printer.note(
      `${visibleLine(target)} was not written: ${result.uncertified ?? result.detail ?? 'there is no verdict'}.`,
    );
    return ExitCode.Unknown;
  }
  await writeFileTo(target, `${toJson(file)}\n`);
  return ExitCode.Satisfied;
}

/** An unknown verdict is an error, never a pass. */
function caseOf({ model, level, verdict, ms, summary, detail, story, uncertified }: OperationResult): JunitCase {
  const told = [...(story?.prose.map(({ text }) => text) ?? []), ...(uncertified === null ? [] : [uncertified])];
  return {
    name: level,
    checker: model,
    verdict,
    ms,
    ...(verdict === 'violated' && { message: summary ?? `not ${level}`, text: told.join('\n') }),
    ...(verdict === 'unknown' && { message: detail ?? 'no verdict' }),
  };
}
