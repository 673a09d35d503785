import { cpSync, existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean, shellPath, visibleLine } from 'isolab/skin';
import { RECORDERS } from '@isolab/record/recorders';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { newCheckerPackage } from '../new/checker-package.ts';
import { filesOf, insistOnRoom, makeWhole } from '../new/folders.ts';
import { KINDS } from '../new/kinds.ts';
import { newFile } from '../new/one-file.ts';
import { templates } from '../terminal/own-package.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { type CommandFlags, type CommandModule, FORCE, OUT_FOLDER, option } from '../terminal/options.ts';

const FILES = KINDS.map(({ name }) => name);
/** Kinds of plug-in that are a folder of files, or are printed. */
const OTHERS = ['lab', 'recorder', 'playground', 'in-process'];

const OPTIONS = [
  OUT_FOLDER('create it in FOLDER'),
  option('--package', 'create a package around a checker, with tests for vitest'),
  FORCE,
] as const;
export type NewFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab new workload my-workload', 'isolab new recorder python > recorder.py'],
  options: OPTIONS,
  run: createNew,
};

/**
 * `isolab new driver` and other kinds: writes one working file and prints the command that tests it; for a checker also
 * a package with tests. `isolab new lab`: writes a folder with all experiments and datasets, for `isolab bench`.
 * `isolab new recorder`: prints a file that an application copies. `isolab new playground`: writes a page.
 * `isolab new in-process`: writes the checker as one module.
 */
export async function createNew(what: string, name: string, flags: NewFlags, printer: Printer): Promise<number> {
  const kind = KINDS.find((each) => each.name === what);
  if (flags.package && what !== 'checker') throw new UsageError(`--package applies to a checker, not to a ${what}.`);
  if (kind) return flags.package ? newCheckerPackage(name, flags, printer) : newFile(kind, name, flags, printer);
  if (what === 'lab') return newLab(name, flags, printer);
  if (what === 'playground' || what === 'in-process')
    return (await import('../new/in-browser.ts')).newInBrowser(what, name, flags, printer);
  if (what === 'recorder') return printRecorder(name, flags, printer);
  const known = [...FILES, ...OTHERS];
  throw new UsageError(
    `isolab new has no kind ${what}; ${didYouMean(what, known)}expected one of ${known.join(', ')}.`,
  );
}

function printRecorder(language: string, flags: NewFlags, printer: Printer): number {
  const recorder = RECORDERS.find((each) => each.language === language);
  if (recorder === undefined) {
    const languages = RECORDERS.map((each) => each.language).join(', ');
    throw new UsageError(`There is no recorder for ${language}; expected one of ${languages}. See docs/recorders.md.`);
  }
  if (flags.out !== undefined)
    throw new UsageError('A recorder is printed to standard output; redirect it with > FILE instead of --out.');
  const { file } = recorder;
  const content = readFileSync(recorderFile(file), 'utf8');
  if (flags.output === 'json') printer.out(toJson({ language, file: basename(file), content }));
  else printer.out(content.trimEnd());
  return ExitCode.Satisfied;
}

/** Finds the file in the package of an installed isolab, or in the clone. */
function recorderFile(file: string): URL {
  const brought = new URL(`recorders/${file}`, templates());
  return existsSync(brought) ? brought : new URL(`../../../field/record/recorders/${file}`, templates());
}

async function newLab(name: string, flags: NewFlags, printer: Printer): Promise<number> {
  const folder = flags.out ?? name;
  const lab = fileURLToPath(new URL('lab/', templates()));
  if (!existsSync(lab))
    throw new UsageError(
      'This isolab runs from a clone of its repository, which already is a lab; name it with --root.',
    );
  insistOnRoom(folder);
  await makeWhole(folder, async (at) => cpSync(lab, at, { recursive: true }));
  if (flags.output === 'json') printer.out(toJson({ name, folder: resolve(folder), files: filesOf(lab) }));
  else
    printer.out(
      `${visibleLine(folder)}: benchmarks/ and datasets/\n\n  cd ${shellPath(folder)} && npx isolab list experiments`,
    );
  return ExitCode.Satisfied;
}
