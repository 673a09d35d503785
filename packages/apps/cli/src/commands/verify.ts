import type { Opened } from 'isolab/check';
import { visibleLine, withVersions } from 'isolab/skin';
import { type Unchecked, type Verification, verify as verifyFile } from 'isolab';
import { openInput, parseJson, readAllBytes } from 'isolab/formats';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type InputFlags, openPath } from '../verdicts/open.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import {
  ALLOWANCES,
  type CommandFlags,
  type CommandModule,
  LEVEL,
  MODEL,
  READING,
  TRUST,
} from '../terminal/options.ts';
import { levelAsked } from '../terminal/words.ts';

const OPTIONS = [
  ...READING,
  LEVEL('read the level of the certificate from this file'),
  MODEL('use this model of an object: a name or a FILE'),
  ...ALLOWANCES,
  TRUST('claims', 'trust the timestamps of the database, or its versions'),
] as const;
type VerifyFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab verify history.jsonl proof.json', 'isolab verify history.jsonl proof.json --output json'],
  options: OPTIONS,
  run: verify,
};

/** `isolab verify`: verifies a certificate from any program. */
export async function verify(
  path: string,
  certificatePath: string,
  flags: VerifyFlags,
  printer: Printer,
): Promise<number> {
  if (flags.level !== undefined) levelAsked(flags.level);
  const certificate = await readJson(certificatePath);
  const { allowCutOff = false, allowVacuous = false, trust } = flags;
  if (trust !== undefined && trust !== 'timestamps' && trust !== 'versions')
    throw new UsageError(`--trust is ${trust}; expected timestamps or versions.`);
  const allowed = { allowCutOff, allowVacuous, ...(trust === 'timestamps' && { trust: 'timestamps' as const }) };
  const result = isOfOperations(certificate)
    ? await verifyOperations(path, certificate, flags)
    : verifyFile(trusted(await openPath(path, flags), trust), certificate, allowed);
  if (flags.output === 'json') printer.out(toJson(result));
  else for (const line of linesOf(result, visibleLine(certificatePath), printer)) printer.out(line);
  // A rejected certificate proves neither its verdict nor the opposite.
  return result.ok ? ExitCode.Satisfied : ExitCode.Unknown;
}

/** Returns the history with its stated versions as facts, if they are trusted. */
function trusted(input: Opened, trust: string | undefined): Opened {
  if (trust !== 'versions' || input.kind !== 'history') return input;
  const stated = withVersions(input);
  if ('text' in stated) throw new UsageError(`The stated versions are wrong: ${visibleLine(stated.text)}.`);
  return stated.opened;
}

function linesOf(result: Verification, name: string, { style }: Printer): string[] {
  const colour = result.ok ? style.green : result.result === 'rejected' ? style.red : style.yellow;
  const head = `${colour(result.result)}  ${name}`;
  if (result.result === 'rejected') return [head, `  ${visibleLine(result.problem)}`];
  const checked = `  checked: ${result.checked.map(({ text }) => text).join(', ')}`;
  if (result.ok) return [head, checked];
  const unchecked = result.unchecked.map(({ what, why }) => {
    const flag = FLAGS[what];
    return `  not checked: ${visibleLine(why)}${flag === undefined ? '' : `; ${flag} accepts that`}`;
  });
  return [head, checked, ...unchecked];
}

/** Flags that accept an unchecked part. */
const FLAGS: Readonly<Partial<Record<Unchecked['what'], string>>> = {
  completeness: '--allow-cut-off',
  times: '--allow-vacuous',
  timestamps: '--trust timestamps',
};

const isOfOperations = (file: unknown): file is Readonly<Record<string, unknown>> =>
  (file as { readonly isolab?: unknown } | null)?.isolab === 'operation-certificate';

async function verifyOperations(
  path: string,
  file: Readonly<Record<string, unknown>>,
  { format, model }: InputFlags & { readonly model?: string },
) {
  const { readOperationsAt, verifyOperationCertificate } = await import('isolab/objects');
  const { history } = await readOperationsAt(path, format === undefined ? {} : { format });
  return verifyOperationCertificate(history, file, ...(model === undefined ? [] : [model]));
}

/** Opens the file like a history: a pipe works, and endless input is refused. */
async function readJson(path: string): Promise<unknown> {
  const input = await openInput(path);
  if (input.kind === 'directory') throw new UsageError(`${path} is a directory; expected a certificate file.`);
  return parseJson(new TextDecoder().decode(await readAllBytes(input)), path);
}
