import { execFile } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { promisify } from 'node:util';
import { percent, visibleLine } from 'isolab/skin';
import type { ComparedTrouble, JudgedRecording, Possible, Recorded, Trouble } from '@isolab/record';
import { type Printer, count, table } from '../terminal/print.ts';

/** A judged recording, with the comparison that `--option before` asks for. */
export interface JudgedWith {
  readonly judged: JudgedRecording;
  readonly possible: Possible;
  readonly comparison: {
    /** The earlier recording. */
    readonly path: string;
    readonly overlaps: JudgedRecording['overlaps'];
    readonly changes: readonly ComparedTrouble[];
  } | null;
}

type Words = typeof import('@isolab/record');

const MOST_TOLD = 20;
const MOST_DANGERS = 3;

/** Prints a recording, its anomalies, and its possible anomalies. */
export async function tellRecording(recorded: Recorded, result: JudgedWith | null, printer: Printer): Promise<void> {
  const words = await import('@isolab/record');
  const { out } = printer;
  tellCoverage(recorded, printer, words);
  if (!result || recorded.transactions === 0) return;
  const { judged, possible, comparison } = result;
  const { bold, red, yellow } = printer.style;
  out(words.overlapText(judged));
  for (const each of recorded.refused) out(yellow(shortened(words.refusedText(each), words)));
  out('');
  for (const promise of judged.promises) {
    const text = `${promise.level.toUpperCase()}: ${visibleLine(words.promiseText(promise, judged.database))}`;
    out(promise.verdict === 'violated' ? bold(red(text)) : text);
  }
  for (const trouble of judged.troubles.slice(0, MOST_TOLD)) out(`\n${troubleText(trouble, printer, words)}`);
  const left = judged.troubles.length - MOST_TOLD;
  if (left > 0) out(`\n${count(left, 'more kind')} of anomalies are left out.`);
  if (judged.troubles.length === 0 && judged.isComplete)
    out('No anomaly was found: the recorded history is serializable.');
  if (!judged.isComplete) out('Not everything could be decided; there may be more anomalies.');
  if (possible.dangers.length > 0) out(`\n${possibleText(possible, judged, words)}`);
  if (comparison) out(`\n${comparisonText(comparison, judged, words)}`);
}

function tellCoverage(recorded: Recorded, { out }: Printer, words: Words): void {
  const { path, transactions, shapes, outsiders, withoutScans, log } = recorded;
  out(`${visibleLine(path)}: ${count(transactions, 'transaction')} with ${count(shapes.length, 'kind')} of statements`);
  const opaque = shapes.filter((shape) => shape.opaque !== null);
  const calls = (some: Recorded['shapes']): number => some.reduce((sum, shape) => sum + shape.calls, 0);
  if (opaque.length > 0) {
    out(`${percent(calls(opaque) / calls(shapes))} of the statements are not modelled, or only partly:`);
    out(
      table(
        opaque
          .slice(0, MOST_TOLD)
          .map((shape) => ['', `${shape.calls} ×`, shape.opaque!, shortened(shape.shape, words)]),
      ),
    );
  }
  if (withoutScans.length > 0)
    out(
      `Non-matching rows of these tables were skipped: ${withoutScans.map(visibleLine).join(', ')} (too many rows, or changed by other clients).`,
    );
  if (log && log.outside > 0) out(`${count(log.outside, 'transaction')} of other clients came from the log.`);
  for (const [name, why] of Object.entries(log?.leftOut ?? {}))
    out(`The log lacks changes of ${visibleLine(name)}: ${why}.`);
  if (outsiders > 0) out(`${count(outsiders, 'version')} came from writers that did not use the proxy.`);
}

function troubleText(trouble: Trouble, { style: { bold, yellow } }: Printer, words: Words): string {
  const { title, summary, example, advice, cost } = trouble;
  const head = `${bold(yellow(title))}${words.countText(trouble).slice(title.length)}. ${visibleLine(summary)}`;
  const lines = [head, ...(cost === null ? [] : [`  ${visibleLine(cost)}`])];
  for (const { name, session, line, level, statements } of example) {
    lines.push(`  ${name}: session ${visibleLine(session)}, line ${line}, ${level.toUpperCase()}`);
    for (const statement of statements) lines.push(...statementLines(statement, words));
  }
  return [...lines, '  To prevent it:', ...advice.map((each) => `    ${visibleLine(each)}`)].join('\n');
}

function statementLines(statement: string, words: Words): string[] {
  const { place } = words.originOf(statement);
  return [`    ${shortened(statement, words)}`, ...(place === null ? [] : [`      at ${visibleLine(place)}`])];
}

function possibleText({ dangers }: Possible, { troubles }: JudgedRecording, words: Words): string {
  const few = dangers.slice(0, MOST_DANGERS).map((danger) => {
    const { program, statements } = danger.parties[0]!;
    const title = words.DANGER_TITLES[danger.name].toLowerCase();
    const places = new Set(statements.map((each) => words.originOf(each).place).filter((place) => place !== null));
    const at = places.size === 0 ? '' : ` (${visibleLine([...places].join('; '))})`;
    return `  ${program.name}, ${title}: ${statements.map((each) => shortened(each, words)).join('; ')}${at}`;
  });
  const met = troubles.length === 0 ? 'The application met no anomaly, but could' : 'The application could also';
  const more = dangers.length > MOST_DANGERS ? ['  … and others: --output html=FILE describes all of them.'] : [];
  return [`${met} meet ${dangers.length} at other times, which nothing prevents:`, ...few, ...more].join('\n');
}

function comparisonText(
  { path, overlaps, changes }: NonNullable<JudgedWith['comparison']>,
  judged: JudgedRecording,
  words: Words,
): string {
  const head = `Compared with ${visibleLine(path)} (${count(overlaps.meeting, 'pair')} of transactions met there, ${judged.overlaps.meeting} here):`;
  if (changes.length === 0) return `${head}\n  no anomaly in either recording`;
  const rows = changes.map(({ change, title, before, now, statements }) => [
    change,
    `${before} → ${now}`,
    title,
    statements.map((each) => shortened(each, words)).join('; '),
  ]);
  return `${head}\n${table(rows)}`;
}

function shortened(sql: string, words: Words): string {
  const line = visibleLine(words.oneLine(sql));
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

/** Facts about the recording that its page states: the application, the command, the commit, the server, the date. */
export async function aboutOf(path: string, words: readonly string[]): Promise<Record<string, string>> {
  const { database } = JSON.parse(firstLineOf(path)) as { readonly database?: string };
  const commit = await commitOf();
  return {
    Application: nameOf(process.cwd()),
    ...(words.length > 0 && { Command: words.join(' ') }),
    ...(commit !== null && { Commit: commit }),
    ...(database !== undefined && { Server: database }),
    Date: new Date().toISOString().slice(0, 16).replace('T', ' ').concat(' UTC'),
  };
}

function firstLineOf(path: string): string {
  const bytes = Buffer.alloc(65_536);
  const file = openSync(path, 'r');
  try {
    return bytes.toString('utf8', 0, readSync(file, bytes)).split('\n', 1)[0]!;
  } finally {
    closeSync(file);
  }
}

function nameOf(folder: string): string {
  try {
    const { name } = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8')) as { readonly name?: string };
    return name ?? basename(folder);
  } catch {
    return basename(folder);
  }
}

async function commitOf(): Promise<string | null> {
  try {
    const run = promisify(execFile);
    const { stdout: commit } = await run('git', ['rev-parse', '--short', 'HEAD']);
    const { stdout: changes } = await run('git', ['status', '--porcelain', '--untracked-files=no']);
    return `${commit.trim()}${changes === '' ? '' : ' with changes'}`;
  } catch {
    return null;
  }
}
