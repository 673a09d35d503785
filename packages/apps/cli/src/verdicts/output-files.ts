/** Outputs of several histories in files: each file is complete, with every history in it, or absent. */
import { writeFileTo } from 'isolab/formats';
import { visibleText } from 'isolab/skin';
import { ExitCode, worseOf } from '../terminal/exit.ts';
import type { FileParts } from '../terminal/messages.ts';
import type { Printer } from '../terminal/print.ts';
import { reportError } from '../terminal/report-error.ts';
import type { OutputFile } from '../terminal/outputs-asked.ts';
import type { Failure } from './failure.ts';

/** Parts of a form besides its text for each history. */
export interface Form {
  readonly head?: string;
  readonly foot?: string;
  /** Whole text, if its head is known only at the end. */
  readonly whole?: () => string;
  /** Text for a history without a verdict; absent if the form has no such text. */
  readonly failed?: (failure: Failure) => string;
}

interface Filed extends OutputFile, Form {
  readonly parts: string[];
  /** Text for the current history. */
  current: string;
}

export class OutputFiles {
  readonly #files: readonly Filed[];

  constructor(files: readonly OutputFile[], forms: Readonly<Record<string, Form>>) {
    this.#files = files.map((file) => ({ ...file, ...forms[file.form], parts: [], current: '' }));
  }

  /** Texts to write if the program is cut off. */
  whenCut(missing: readonly Failure[]): readonly FileParts[] {
    return this.#files.map(({ path, head = '', foot = '', failed }) => ({
      path,
      head,
      missing: missing.map((failure) => visible(failed?.(failure) ?? '')),
      foot,
    }));
  }

  /** Adds text about the current history to each file, in the file's form. */
  async add(render: (form: string) => Promise<string | null>): Promise<void> {
    for (const file of this.#files) {
      const text = await render(file.form);
      if (text !== null) file.current = joined([file.current, visible(text)]);
    }
  }

  fail(failure: Failure): void {
    for (const file of this.#files) file.current = joined([file.current, visible(file.failed?.(failure) ?? '')]);
  }

  /** Completes the current history and returns its part in each output file. */
  next(): readonly string[] {
    return this.#files.map((file) => {
      const text = file.current;
      file.parts.push(text);
      file.current = '';
      return text;
    });
  }

  /** Writes every file that has content; a failure does not affect the other files. */
  async write(isVerbose: boolean, printer: Printer): Promise<number> {
    let code: number = ExitCode.Satisfied;
    for (const { path, head = '', foot = '', whole, parts } of this.#files) {
      if (joined(parts) === '') continue;
      try {
        await writeFileTo(path, `${whole === undefined ? joined([head, ...parts, foot]) : visible(whole())}\n`);
      } catch (error) {
        code = worseOf(code, reportError(error, isVerbose, printer));
      }
    }
    return code;
  }
}

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

/** Makes control characters visible, so that no text in a file controls a terminal that shows it. */
const visible = (text: string): string => visibleText(text.trimEnd());
