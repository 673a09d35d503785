import { relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ExitCode } from '../exit.ts';
import type { Printer } from '../print.ts';

/** `npm start`: the commands so far, shown on a small history, which violates what it should. */
export async function tour(
  run: (args: readonly string[], printer: Printer) => Promise<number>,
  printer: Printer,
): Promise<number> {
  const history = relative(
    process.cwd(),
    fileURLToPath(new URL('../../../../datasets/histories/aborted-transfer.jsonl', import.meta.url)),
  );
  const show = async (...args: readonly string[]): Promise<number> => {
    printer.out(`\n${printer.style.dim('$')} ${printer.style.bold(`isolab ${args.join(' ')}`)}\n`);
    return run(args, printer);
  };
  const statsCode = await show('stats', history);
  const checkCode = await show('check', history, '--level', 'read-committed');
  printer.out(
    `\nThe violation is the expected end of this tour: the history was made to show one. Try your own: npx isolab check FILE --level LEVEL`,
  );
  return statsCode === ExitCode.Satisfied && checkCode === ExitCode.Violated ? ExitCode.Satisfied : ExitCode.Failed;
}
