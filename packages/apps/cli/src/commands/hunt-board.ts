import { addToBoard, boardMarkdown, findingPages, readBoard } from '@isolab/hunt';
import { PUBLIC, writeFileTo } from 'isolab/formats';
import { visibleLine } from 'isolab/skin';
import { join } from 'node:path';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type CommandFlags, type CommandModule, OUT_FOLDER, option, repeated } from '../terminal/options.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { parseOptions } from '../terminal/words.ts';
import { rootFolder } from '../bench/lab.ts';

/** Kinds of notes on a finding: databases that passed, reports elsewhere, a program without isolab and its output. */
const NOTES = ['title', 'control', 'known', 'program', 'printed', 'undecided'] as const;

const OPTIONS = [
  OUT_FOLDER('keep the board in FOLDER; reports/field of the laboratory if absent'),
  option('--name <name>', 'name the finding; made from its facts if absent'),
  repeated('--note <name=text>', `add a note to the finding: ${NOTES.join(', ')}`),
] as const;
export type FieldFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab hunt board', 'isolab hunt board hunts/postgres-12.3'],
  options: OPTIONS,
  run: huntBoard,
};

function boardHere(): string {
  try {
    return join(rootFolder(undefined), 'reports', 'field');
  } catch {
    throw new UsageError(
      'There is no laboratory here or in a parent folder; name the folder of the board with --out FOLDER.',
    );
  }
}

/** `isolab hunt board`: prints the board of findings. */
export async function huntBoard(hunts: readonly string[], flags: FieldFlags, printer: Printer): Promise<number> {
  const board = flags.out ?? boardHere();
  const notes = flags.note.map((pair) => Object.entries(parseOptions([pair], '--note'))[0]!);
  const unknown = notes.find(([name]) => !NOTES.some((known) => known === name));
  if (unknown !== undefined) throw new UsageError(`--note accepts ${NOTES.join(', ')}, not ${unknown[0]}.`);
  const of = (name: (typeof NOTES)[number]): string[] =>
    notes.flatMap(([other, text]) => (other === name ? [text] : []));
  const [[title], [program], [printed], [undecided]] = [of('title'), of('program'), of('printed'), of('undecided')];
  if ((program === undefined) !== (printed === undefined))
    throw new UsageError('--note program= and --note printed= belong together; give both.');
  if (
    hunts.length !== 1 &&
    (flags.name !== undefined || notes.some(([name]) => name !== 'known' && name !== 'printed'))
  )
    throw new UsageError('--name and --note apply to one hunt; name only its folder.');
  const added: string[] = [];
  for (const hunt of hunts)
    added.push(
      ...(await addToBoard(hunt, {
        board,
        ...(flags.name !== undefined && { name: flags.name }),
        ...(title !== undefined && { title }),
        controls: of('control'),
        known: of('known'),
        ...(undecided !== undefined && { undecided }),
        ...(program !== undefined && printed !== undefined && { confirmed: { program, says: printed } }),
      })),
    );
  const content = readBoard(board);
  const page = join(board, 'README.md');
  await writeFileTo(page, boardMarkdown(content), { mode: PUBLIC });
  for (const [name, text] of findingPages(content))
    await writeFileTo(join(board, name, 'README.md'), text, { mode: PUBLIC });
  if (flags.output === 'json') printer.out(toJson({ page, added, findings: content.entries.length }));
  else {
    for (const each of added) printer.out(visibleLine(each));
    printer.out(
      `${visibleLine(page)}: ${count(content.entries.length, 'finding')}, ${count(content.held.length, 'hunt')} without a finding`,
    );
  }
  return ExitCode.Satisfied;
}
