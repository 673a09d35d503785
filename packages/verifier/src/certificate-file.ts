import { type History, countOperations, countTransactions, toRegisters } from '@isolab/history';
import { type Certified, type LevelName, definitionOf } from '@isolab/contract';
import { integerOf, objectOf, refuse, show } from './flaw.ts';
import { type Verification, verification, verifyCertificate } from './verify.ts';

/** Whether a parsed file proves its verdict about `history` as it was read; it is lowered to registers here. */
export function verifyCertificateFile(history: History, json: unknown): Verification {
  let file: Certified | null = null;
  const header = verification(() => {
    file = readHeader(history, json);
  });
  if (!header.ok) return header;
  const { level, verdict, certificate } = file as unknown as Certified;
  return verifyCertificate(toRegisters(history).history, level, verdict, certificate);
}

function readHeader(history: History, json: unknown): Certified {
  const file = objectOf(json, 'the file');
  const { level, checker, verdict } = file;
  if (file['isolab'] !== 'certificate') refuse(`the field isolab is ${show(file['isolab'])}, expected "certificate"`);
  if (file['version'] !== 1) refuse(`the version is ${show(file['version'])}, expected 1`);
  if (typeof level !== 'string' || definitionOf(level) === null)
    refuse(`${show(level)} is not a level; of one that a user defined, name the file with --level`);
  if (typeof checker !== 'string') refuse(`the checker is ${show(checker)}, expected a name`);
  if (verdict !== 'satisfied' && verdict !== 'violated')
    return refuse(`the verdict is ${show(verdict)}, expected "satisfied" or "violated"`);
  const counts = objectOf(file['history'], 'the field history');
  compareCount(counts['transactions'], countTransactions(history), 'transactions');
  compareCount(counts['operations'], countOperations(history), 'operations');
  // Only its kind is looked at before the verifier does so with all of it.
  const certificate = objectOf(file['certificate'], 'the certificate') as unknown as Certified['certificate'];
  return { level: level as LevelName, checker, verdict, certificate };
}

function compareCount(data: unknown, actual: number, what: string): void {
  const count = integerOf(data, 0, Number.MAX_SAFE_INTEGER, `the number of ${what}`);
  if (count !== actual) refuse(`the certificate belongs to a history of ${count} ${what}, but this one has ${actual}`);
}
