import { addToBoard, boardMarkdown, readBoard } from '@isolab/hunt';
import { PUBLIC, writeFileTo } from 'isolab/formats';
import { visibleLine } from 'isolab/skin';
import { join } from 'node:path';
import { ExitCode, UsageError } from '../exit.ts';
import { type CommandModule, option, repeated } from '../options.ts';
import { type Printer, count, toJson } from '../print.ts';
import { rootFolder } from './bench.ts';

export interface FieldFlags {
  readonly board?: string;
  readonly name?: string;
  readonly control: readonly string[];
  readonly known: readonly string[];
  readonly confirmed?: string;
  readonly says?: string;
  readonly undecided?: string;
  readonly output: string;
}

export const command: CommandModule = {
  examples: ['isolab field', 'isolab field hunts/postgres-12.3'],
  options: [
    option('--board <folder>', 'keep the board here; reports/field of the laboratory if absent'),
    option('--name <name>', 'call the finding this; made from what it is if absent'),
    repeated('--control <database>', 'name a database that passed, as hunted: postgres@12.6'),
    repeated('--known <text>', 'say what is known of it elsewhere, such as an address of a report'),
    option('--confirmed <program>', 'name a program without isolab that shows the same; --says tells what it printed'),
    option('--says <text>', 'say what that program printed'),
    option('--undecided <text>', 'say what the database did in the histories of a hunt that have no verdict'),
  ],
  run: field,
};

function boardHere(): string {
  try {
    return join(rootFolder(undefined), 'reports', 'field');
  } catch {
    throw new UsageError('There is no laboratory here or above; --board FOLDER names where the board is, or is to be.');
  }
}

/** `isolab field`: the board of findings. */
export async function field(hunts: readonly string[], flags: FieldFlags, printer: Printer): Promise<number> {
  const board = flags.board ?? boardHere();
  const { confirmed, says } = flags;
  if ((confirmed === undefined) !== (says === undefined))
    throw new UsageError('--confirmed names a program and --says what it printed; give both.');
  if (
    hunts.length !== 1 &&
    [flags.name, confirmed, flags.undecided, flags.control[0]].some((given) => given !== undefined)
  )
    throw new UsageError('--name, --control, --confirmed and --undecided are of one hunt; name its folder alone.');
  const added: string[] = [];
  for (const hunt of hunts)
    added.push(
      ...(await addToBoard(hunt, {
        board,
        ...(flags.name !== undefined && { name: flags.name }),
        controls: flags.control,
        known: flags.known,
        ...(flags.undecided !== undefined && { undecided: flags.undecided }),
        ...(confirmed !== undefined && says !== undefined && { confirmed: { program: confirmed, says } }),
      })),
    );
  const content = readBoard(board);
  const page = join(board, 'README.md');
  await writeFileTo(page, boardMarkdown(content), { mode: PUBLIC });
  if (flags.output === 'json') printer.out(toJson({ page, added, findings: content.entries.length }));
  else {
    for (const each of added) printer.out(visibleLine(each));
    printer.out(
      `${visibleLine(page)}: ${count(content.entries.length, 'finding')}, ${count(content.held.length, 'hunt')} that found nothing`,
    );
  }
  return ExitCode.Satisfied;
}
