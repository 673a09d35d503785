import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { END } from './draw.ts';

/** Lines by stream; the name of a single stream is `''`. */
export type Lines = ReadonlyMap<string, readonly string[]>;

/** Content of a text, line by line, read without the code under test. */
export interface Told {
  readonly lines: Lines;
  /** Streams with lines after their end; and whether the text continues after the end of all streams. */
  readonly behindEnd: ReadonlySet<string>;
  readonly isBehindAll: boolean;
  /** Whether the last line is incomplete. */
  readonly hasHalf: boolean;
}

export function toldIn(text: string, isByStream: boolean): Told {
  const whole = text.split('\n');
  const half = whole.pop()!;
  const told = new Map<string, string[]>(isByStream ? [] : [['', []]]);
  const behindEnd = new Set<string>();
  let header: string | null = null;
  let isOver = false;
  let isBehindAll = false;
  const add = (stream: string, line: string): void => {
    const lines = told.get(stream) ?? (header === null ? [] : [header]);
    told.set(stream, lines);
    if (lines.at(-1) === END) behindEnd.add(stream);
    else lines.push(line);
  };
  for (const line of whole) {
    if (isOver) isBehindAll = true;
    else if (!isByStream) add('', line);
    else if (line.startsWith('{"isolab":"history"')) header = line;
    else if (line === END) {
      isOver = true;
      for (const [stream, lines] of told) if (lines.at(-1) !== END) add(stream, line);
    } else {
      const { stream, ...fields } = JSON.parse(line) as { stream: string };
      add(stream, JSON.stringify(fields));
    }
  }
  if (half !== '' && isOver) isBehindAll = true;
  if (half !== '' && !isByStream && told.get('')?.at(-1) === END) behindEnd.add('');
  return { lines: told, behindEnd, isBehindAll, hasHalf: half !== '' };
}

/** Lines that a folder stores, without an incomplete last line. */
export function linesIn(folder: string, isByStream: boolean): Lines {
  if (!isByStream) {
    const lines = logIn(join(folder, 'log'));
    return new Map(lines.length === 0 ? [] : [['', lines]]);
  }
  const all = join(folder, 'streams');
  const names = existsSync(all) ? readdirSync(all) : [];
  return new Map(
    names.map((name) => [name === '%empty' ? '' : decodeURIComponent(name), logIn(join(all, name, 'log'))] as const),
  );
}

function logIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const text = names.toSorted().map((name) => readFileSync(join(folder, name), 'utf8'));
  return text.join('').split('\n').slice(0, -1);
}

/** Returns whether a folder has a state to resume from, so that no new stream begins in it. */
export const isUsed = (folder: string): boolean =>
  existsSync(join(folder, 'checkpoint.json')) || linesIn(folder, false).size > 0 || linesIn(folder, true).size > 0;

/** Lines that all folders but one store. */
export const allLinesIn = (root: string, but: string): unknown =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== but)
    .map(({ name }) => [false, true].map((isByStream) => [name, ...linesIn(join(root, name), isByStream)]));

/** Names of the default folders, in order. */
export const numbered = (number: number): string => (number === 1 ? 'isolab.watch' : `isolab.watch-${number}`);

/** Lines of the streams in a folder after a run, and streams whose lines cannot follow its earlier ones. */
export interface Followed {
  readonly lines: Lines;
  readonly failed: ReadonlySet<string>;
}

/** A source that is read again repeats all earlier lines; another source continues after them. */
export function following(before: Lines, { lines, behindEnd }: Told, isReadAgain: boolean): Followed {
  const after = new Map(before);
  const failed = new Set(behindEnd);
  for (const [stream, told] of lines) {
    const had = before.get(stream) ?? [];
    const isEnded = had.at(-1) === END;
    const repeats = had.every((line, i) => line === told[i]);
    const hasHeader = told[0]?.startsWith('{"isolab":"history"') === true;
    if (had.length === 0 && (hasHeader || told.length === 0)) after.set(stream, told);
    else if (had.length === 0) failed.add(stream);
    else if (isReadAgain) {
      if (repeats && !(isEnded && told.length > had.length)) after.set(stream, told);
      else failed.add(stream);
    } else if (isEnded || (hasHeader && withoutPromise(told[0]!) !== withoutPromise(had[0]!))) {
      if (told.length > (hasHeader ? 1 : 0)) failed.add(stream);
    } else after.set(stream, [...had, ...told.slice(hasHeader ? 1 : 0)]);
  }
  return { lines: after, failed };
}

/** Removes the promise of an end, which describes the sender and not the stream. */
export const withoutPromise = (header: string): string => header.replace(',"collected":{}', '');

/** Returns whether a list of lines is a prefix of another. */
export const isPrefix = (lines: readonly string[], of: readonly string[]): boolean =>
  lines.every((line, i) => line === of[i]);
