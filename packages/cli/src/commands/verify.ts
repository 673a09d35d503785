import type { CertificateFile } from '@isolab/contract';
import { visibleLine } from '@isolab/history';
import { verify as verifyFile } from 'isolab';
import { openInput, readAllBytes } from '@isolab/formats';
import { ExitCode, UsageError } from '../exit.ts';
import { type InputFlags, openPath } from '../open.ts';
import { type Printer, toJson } from '../print.ts';
import { type CommandModule, READING, option } from '../options.ts';
import { levelAsked } from '../words.ts';

export const command: CommandModule = {
  examples: ['isolab verify history.jsonl proof.json', 'isolab verify history.jsonl proof.json --output json'],
  options: [
    ...READING,
    option('-l, --level <file>', 'read the level that the certificate is about from this file'),
    option('--model <model>', 'take the model of an object from here: a name or a file'),
  ],
  run: verify,
};

/** `isolab verify`: verifies a certificate, whichever program made it. */
export async function verify(
  path: string,
  certificatePath: string,
  flags: InputFlags & { readonly output: string; readonly model?: string; readonly level?: string },
  printer: Printer,
): Promise<number> {
  if (flags.level !== undefined) levelAsked(flags.level);
  const certificate = await readJson(certificatePath);
  const result = isOfOperations(certificate)
    ? await verifyOperations(path, certificate, flags)
    : verifyFile(await openPath(path, flags), certificate);
  const given = isOfTimestamps(certificate) ? ', if the timestamps that the database states are right' : '';
  if (flags.output === 'json') printer.out(toJson(result));
  else
    printer.out(
      result.ok
        ? `${printer.style.green('accepted')}  ${visibleLine(certificatePath)}${given}`
        : `${printer.style.red('rejected')}  ${visibleLine(certificatePath)}\n  ${visibleLine(result.problem)}`,
    );
  // A certificate that is rejected proves nothing, neither its verdict nor the opposite.
  return result.ok ? ExitCode.Satisfied : ExitCode.Unknown;
}

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

const isOfTimestamps = (file: unknown): boolean =>
  (file as Partial<CertificateFile> | null)?.certificate?.kind === 'timestamps';

/** Opens the file as a history is opened: a pipe works, and endless input is refused. */
async function readJson(path: string): Promise<unknown> {
  const input = await openInput(path);
  if (input.kind === 'directory') throw new UsageError(`${path} is a directory, expected a certificate.`);
  const text = new TextDecoder().decode(await readAllBytes(input));
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
}
