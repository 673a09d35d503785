import { visibleLine } from '@isolab/history';
import { verifyCertificateFile, verifyPolygraphFile } from '@isolab/verifier';
import { openInput, readAllBytes } from '@isolab/formats';
import { ExitCode, UsageError } from '../exit.ts';
import { type InputFlags, openDocument } from '../open.ts';
import { type Printer, toJson } from '../print.ts';

/** `isolab verify`: whether a certificate proves its verdict about a history, whoever made it. */
export async function verify(
  path: string,
  certificatePath: string,
  flags: InputFlags & { readonly output: string },
  printer: Printer,
): Promise<number> {
  const document = await openDocument(path, flags);
  const file = await readJson(certificatePath);
  const result =
    document.kind === 'polygraph'
      ? verifyPolygraphFile(document.polygraph, file)
      : verifyCertificateFile(document.history, file);
  if (flags.output === 'json') printer.out(toJson(result));
  else
    printer.out(
      result.ok
        ? `${printer.style.green('accepted')}  ${visibleLine(certificatePath)}`
        : `${printer.style.red('rejected')}  ${visibleLine(certificatePath)}\n  ${visibleLine(result.problem)}`,
    );
  // A certificate that is rejected proves nothing, neither its verdict nor the opposite.
  return result.ok ? ExitCode.Satisfied : ExitCode.Unknown;
}

/** Opened as a history is, so that a pipe will do and what has no end is refused. */
async function readJson(path: string): Promise<unknown> {
  const input = await openInput(path);
  if (input.kind === 'directory') throw new UsageError(`${path} is a directory, expected a certificate.`);
  const text = new TextDecoder().decode(await readAllBytes(input));
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${path} is no JSON: ${(error as Error).message}`);
  }
}
