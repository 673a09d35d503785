/** Requested forms of output: one on standard output, the others in files. */
import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { writeFileTo } from 'isolab/formats';
import { UsageError } from './exit.ts';
import { type TargetOptions, insistOnTarget, removeMade } from './targets.ts';

/** A form and its file. */
export interface OutputFile {
  readonly form: string;
  readonly path: string;
}

/** Parsed value of `--output`. */
export interface OutputsAsked {
  /** Form on standard output. */
  readonly output: string;
  readonly files?: readonly OutputFile[];
}

/**
 * Option `--output FORM` or `--output FORM=FILE`, which may be repeated. The first form is printed on standard output
 * if none is named for it.
 */
export function outputOption(...forms: readonly [string, ...string[]]): Option {
  return new Option('--output <form>', `print ${forms.join(', ')}; or FORM=FILE`)
    .choices(forms)
    .default(forms[0])
    .argParser((word, previous: string | readonly string[]) => {
      const form = formIn(word);
      if (!forms.includes(form)) throw new InvalidArgumentError(`Allowed choices are ${forms.join(', ')}.`);
      return [...(typeof previous === 'string' ? [] : previous), word];
    });
}

const formIn = (word: string): string => word.split('=', 1)[0]!;

/** Parses the words of `--output`; a string is the default value, without the flag. */
export function outputsAsked(words: string | readonly string[], standard: string): Required<OutputsAsked> {
  const printed: string[] = [];
  const files: OutputFile[] = [];
  for (const word of typeof words === 'string' ? [] : words) {
    const form = formIn(word);
    const path = word === form ? '-' : word.slice(form.length + 1);
    if (path === '') throw new UsageError(`--output ${word} lacks a file name; expected ${form}=FILE.`);
    if (path === '-') printed.push(form);
    else files.push({ form, path });
  }
  if (printed.length > 1)
    throw new UsageError(
      `--output ${printed.join(' and --output ')} both go to standard output; write one of them to a file: --output ${printed.at(-1)}=FILE.`,
    );
  return { output: printed[0] ?? standard, files };
}

/** All requested forms. */
export const formsOf = ({ output, files = [] }: OutputsAsked): ReadonlySet<string> =>
  new Set([output, ...files.map(({ form }) => form)]);

/** Files in a form. */
export const filesIn = (form: string, { files = [] }: Pick<OutputsAsked, 'files'>): readonly string[] =>
  files.filter((file) => file.form === form).map(({ path }) => path);

/** Writes JSON to the files that are asked for. */
export async function writeJson(json: string, asked: Pick<OutputsAsked, 'files'>): Promise<void> {
  for (const file of filesIn('json', asked)) await writeFileTo(file, `${json}\n`);
}

/** Refuses a text in a file, for commands that write their other forms to files. */
export function refuseTextFile(asked: Pick<OutputsAsked, 'files'>): void {
  const [path] = filesIn('text', asked);
  if (path !== undefined)
    throw new UsageError(`--output text=${path}: text is only printed; expected json=FILE or html=FILE.`);
}

/** Returns whether the form has at most one picture per history. */
export const isPicture = (output: string): output is 'html' | 'svg' | 'dot' =>
  output === 'html' || output === 'svg' || output === 'dot';

export interface FilesOptions extends Pick<TargetOptions, 'inputs' | 'force'> {
  /** Other files that the same call writes, by the option that names each. */
  readonly others?: Readonly<Record<string, string | undefined>>;
}

/**
 * Refuses files that cannot be written or would overwrite valuable ones, before any work is done. Then removes the
 * files of an earlier run in their places, so that no old file can be mistaken for the result of this run.
 */
export function claimFiles(files: readonly OutputFile[], { inputs, force, others = {} }: FilesOptions): void {
  const taken = new Map<string, string>();
  for (const [name, path] of Object.entries(others)) if (path !== undefined) taken.set(resolve(path), name);
  for (const { form, path } of files) {
    const name = `--output ${form}=${path}`;
    const other = taken.get(resolve(path));
    if (other !== undefined) throw new UsageError(`${other} and ${name} name the same file; name two different files.`);
    taken.set(resolve(path), name);
    // An input may not exist yet.
    if (inputs.some((input) => resolve(input) === resolve(path)))
      throw new UsageError(`${path} is an input and would be overwritten; choose another path for the result.`);
    insistOnTarget(path, { inputs, force, made: 'output' });
  }
  for (const { path } of files) removeMade(path, force === true ? 'anything' : 'output');
}
