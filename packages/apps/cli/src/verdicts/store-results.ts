import { statSync } from 'node:fs';
import { type ByteStream, openInput, parseValueFrom } from 'isolab/formats';
import { visibleLine } from 'isolab/skin';
import { ExitCode } from '../terminal/exit.ts';

/**
 * Returns a sentence that compares the result with that of Jepsen's checkers, if the path is the folder of a Jepsen
 * test with a results.edn; otherwise null.
 */
export async function comparedWithStore(path: string, code: number): Promise<string | null> {
  if (!statSync(path, { bigint: true, throwIfNoEntry: false })?.isDirectory()) return null;
  const input = await openInput(path);
  if (input.kind === 'stream' || !input.files.includes(RESULTS)) return null;
  const results = await resultsIn(await input.open(RESULTS));
  const name = visibleLine(`${path}: ${RESULTS}`);
  if (results === null) return `${name} is not a map with :valid?, so its result was not compared`;
  const theirs = wordOf(results.get(':valid?'));
  const invalid = [...results].flatMap(([checker, each]) =>
    each instanceof Map && each.get(':valid?') === false ? [String(checker).replace(/^:/, '')] : [],
  );
  const of = invalid.length === 0 ? '' : ` (${invalid.join(', ')})`;
  const ours = { [ExitCode.Satisfied]: 'true', [ExitCode.Violated]: 'false' }[code] ?? 'unknown';
  const verdict = { true: 'satisfied', false: 'violated', unknown: 'unknown' }[ours]!;
  const isSame = theirs === ours;
  return `${name} has :valid? ${theirs}${of}; the verdict of isolab is ${verdict}${isSame ? ', which agrees' : theirs === 'unknown' || ours === 'unknown' ? '' : ', which differs'}`;
}

async function resultsIn(input: ByteStream): Promise<ReadonlyMap<unknown, unknown> | null> {
  const results = await parseValueFrom(input);
  return results instanceof Map && results.has(':valid?') ? results : null;
}

const wordOf = (valid: unknown): string => (valid === ':unknown' ? 'unknown' : String(valid));

const RESULTS = 'results.edn';
