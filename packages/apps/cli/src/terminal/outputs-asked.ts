/** The forms of output that a command is asked for: one on standard output, others in files. */
import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { UsageError } from './exit.ts';
import { type TargetOptions, insistOnTarget, removeMade } from './targets.ts';

/** A form and the file that it goes to. */
export interface OutputFile {
  readonly form: string;
  readonly path: string;
}

/** `--output` as a command gets it. */
export interface OutputsAsked {
  /** The form on standard output. */
  readonly output: string;
  readonly files?: readonly OutputFile[];
}

/** `--output FORM` or `--output FORM=FILE`, several times. The first form is that of standard output if none is named. */
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

/** Outputs that the words of `--output` ask for; a string is the default, given without the flag. */
export function outputsAsked(words: string | readonly string[], standard: string): Required<OutputsAsked> {
  const printed: string[] = [];
  const files: OutputFile[] = [];
  for (const word of typeof words === 'string' ? [] : words) {
    const form = formIn(word);
    const path = word === form ? '-' : word.slice(form.length + 1);
    if (path === '') throw new UsageError(`--output ${word} names no file; expected ${form}=FILE.`);
    if (path === '-') printed.push(form);
    else files.push({ form, path });
  }
  if (printed.length > 1)
    throw new UsageError(
      `--output ${printed.join(' and --output ')} both go to standard output; write one of them into a file: --output ${printed.at(-1)}=FILE.`,
    );
  return { output: printed[0] ?? standard, files };
}

/** All forms that are asked for. */
export const formsOf = ({ output, files = [] }: OutputsAsked): ReadonlySet<string> =>
  new Set([output, ...files.map(({ form }) => form)]);

/** Forms with at most one picture per history. */
export const isPicture = (output: string): output is 'html' | 'svg' | 'dot' =>
  output === 'html' || output === 'svg' || output === 'dot';

export interface FilesOptions extends Pick<TargetOptions, 'inputs' | 'force'> {
  /** Other files that the same call writes, by the option that names each. */
  readonly others?: Readonly<Record<string, string | undefined>>;
}

/**
 * Refuses files, before any work is done, that cannot be written or would overwrite valuable ones. Then removes the
 * files of an earlier run in their places: however this run ends, no old file can pass for its result.
 */
export function claimFiles(files: readonly OutputFile[], { inputs, force, others = {} }: FilesOptions): void {
  const taken = new Map<string, string>();
  for (const [name, path] of Object.entries(others)) if (path !== undefined) taken.set(resolve(path), name);
  for (const { form, path } of files) {
    const name = `--output ${form}=${path}`;
    const other = taken.get(resolve(path));
    if (other !== undefined) throw new UsageError(`${other} and ${name} name the same file; name two.`);
    taken.set(resolve(path), name);
    // An input may not be there yet.
    if (inputs.some((input) => resolve(input) === resolve(path)))
      throw new UsageError(`${path} is an input and would be lost; choose another path for the result.`);
    insistOnTarget(path, { inputs, force, made: 'output' });
  }
  for (const { path } of files) removeMade(path, force === true ? 'anything' : 'output');
}
