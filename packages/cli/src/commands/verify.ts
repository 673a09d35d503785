import { visibleLine } from '@isolab/history';
import { readFileSync } from 'node:fs';
import { verifyCertificateFile, verifyPolygraphFile } from '@isolab/checker';
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
  const file = readJson(certificatePath);
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

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${path} is no JSON: ${(error as Error).message}`);
  }
}
