/** Further requests about a history, besides its check and its story; and requests about levels. */

import { FormatError, LEVELS, type Opened } from 'isolab/check';
import { compareLevels, type LevelDefinition, searchInWords } from 'isolab/levels';
import { definitionOf, statisticsRows, statisticsSentences } from 'isolab/skin';
import { findFormat, outputToMemory, parseJson, printNotation } from 'isolab/formats';
import { compare, type Comparison, type History, statistics, verify } from 'isolab';
import type {
  AskedLevel,
  ComparedAll,
  Converted,
  Counted,
  LevelsCompared,
  OneWay,
  Opened as OpenedAnswer,
  Progress,
  Request,
  SavedBytes,
  Verified,
} from './protocol.ts';
import { limitsOf, openGiven } from './check.ts';
import { define, nameOf } from './own-level.ts';

/** Name of the verified certificate in errors. */
export const CERTIFICATE = 'the certificate';

type Asked<Kind extends Request['kind']> = Extract<Request, { readonly kind: Kind }>;
type Say = (answer: Progress | OpenedAnswer) => void;

/** Runs all checkers at one level, or at each level, like `isolab check --checker all`. */
export async function compareAll({ given, limits, ...asked }: Asked<'compare'>, say: Say): Promise<ComparedAll> {
  const levels = asked.level === 'all' ? LEVELS.map(({ name }) => name) : [nameOf(asked.level)];
  const input = await openGiven(given, say);
  const comparisons: Comparison[] = [];
  for (const [done, level] of levels.entries()) {
    say({ kind: 'progress', doing: `Running every checker on ${level}`, done, total: levels.length });
    comparisons.push(await compare(input, { ...limitsOf(limits), level }));
  }
  return { kind: 'compared', comparisons };
}

/** Verifies a certificate, like `isolab verify`. */
export async function verifyText({ given, certificate, own }: Asked<'verify'>, say: Say): Promise<Verified> {
  if (own !== null) define(own);
  const file = parseJson(certificate, CERTIFICATE);
  const input = await openGiven(given, say);
  say({ kind: 'progress', doing: 'Verifying', done: 0, total: 0 });
  const found = verify(input, file);
  const checked = found.result === 'rejected' ? [] : found.checked.map(({ text }) => text);
  if (!found.ok) return { kind: 'verified', isProof: false, text: found.problem, checked };
  const { level, verdict } = file as { readonly level: string; readonly verdict: string };
  return { kind: 'verified', isProof: true, text: `${level} is ${verdict}`, checked };
}

/** Counts the contents of a history and their conclusive share, like `isolab stats`. */
export function countIn(input: Opened): Counted {
  const counted = statistics(input);
  const sentences = statisticsSentences(counted).map((text) => ['', '', text] as const);
  return { kind: 'counted', rows: [...statisticsRows(counted), ...sentences] };
}

/** Converts a history; returns no files if data would be lost. */
export async function convertTo(input: Opened, name: string): Promise<Converted> {
  const format = findFormat(name);
  const files = new Map<string, Uint8Array>();
  if (input.kind === 'polygraph') {
    if (format === null || !('writePolygraph' in format))
      throw new FormatError(input.name, null, `it is a polygraph, and cannot be written as ${name}`);
    await format.writePolygraph(input.polygraph, outputToMemory(files));
    return { kind: 'converted', files: savedFiles(files, name), losses: [] };
  }
  if (format === null || !('writer' in format) || format.writer === undefined)
    throw new FormatError(input.name, null, `isolab cannot write histories as ${name}`);
  const writer = await format.writer();
  const losses = writer.losses(input.history);
  if (losses.length === 0) await writer.write(input.history, outputToMemory(files));
  return {
    kind: 'converted',
    files: savedFiles(files, name),
    losses: losses.map(({ name: loss, count: many, fate }) => `${loss} (${many} ${fate})`),
  };
}

/** A format with a single file has one without a name. */
const savedFiles = (files: ReadonlyMap<string, Uint8Array>, format: string): SavedBytes[] =>
  [...files].map(([name, bytes]) => ({
    fileName: name === '' ? `history.${format}` : name.replaceAll('/', '-'),
    bytes: new Uint8Array(bytes),
  }));

/** Searches for histories that distinguish two levels, like `isolab levels compare`. */
export function compareTwoLevels(first: AskedLevel, second: AskedLevel): LevelsCompared {
  const [one, other] = [levelOf(first), levelOf(second)];
  const { onlyFirst, onlySecond, searched } = compareLevels(one, other);
  const isDone = onlyFirst !== null && onlySecond !== null;
  return {
    kind: 'levels-compared',
    ways: [oneWay(one, other, onlyFirst), oneWay(other, one, onlySecond)],
    searched: isDone ? null : searchInWords(searched),
  };
}

const levelOf = (level: AskedLevel): LevelDefinition => definitionOf(nameOf(level))!;

const oneWay = (strong: LevelDefinition, weak: LevelDefinition, history: History | null): OneWay => ({
  strong: strong.name,
  weak: weak.name,
  text: history && printNotation(history).trim(),
  isStated: strong.implies.includes(weak.name),
});
