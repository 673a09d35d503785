import { OPERATION_LEVELS, type OperationHistory, type OperationLevel, type Value, keyed } from '@isolab/operations';
import { type Verification, verifyOperations } from '@isolab/verifier';
import { parseValue } from '@isolab/formats';
import type { OperationResult } from './judge.ts';
import { builtInModel, isModelFile, loadModelFile } from './models.ts';

/** Proof of a verdict about operations, as a file. */
export interface OperationCertificateFile {
  readonly isolab: 'operation-certificate';
  readonly version: 1;
  /** Name of a built-in model, or the file of a model. */
  readonly model: string;
  /** Options of the model, in the form of `--initial` and `--independent`. */
  readonly initial?: string;
  readonly independent?: boolean;
  readonly level: OperationLevel;
  readonly operations: number;
  readonly verdict: 'satisfied' | 'violated';
  readonly certificate: NonNullable<OperationResult['certificate']>;
}

export interface ModelWords {
  readonly model: string;
  readonly initial?: string;
  readonly independent?: boolean;
}

/** Returns the evidence of a result; null where there is none. */
export const operationCertificate = (result: OperationResult, words: ModelWords): OperationCertificateFile | null =>
  result.verdict === 'unknown' || result.certificate === null
    ? null
    : {
        isolab: 'operation-certificate',
        version: 1,
        ...words,
        level: result.level,
        operations: result.operations,
        verdict: result.verdict,
        certificate: result.certificate,
      };

/** Verifies whether a file proves a verdict about a history. An option can override the path of the model. */
export async function verifyOperationCertificate(
  history: OperationHistory,
  file: Readonly<Record<string, unknown>>,
  model: string = String(file['model']),
): Promise<Verification> {
  const { version, level, verdict, operations, certificate, initial, independent } = file;
  const refuse = (problem: string): Verification => ({ ok: false, result: 'rejected', problem });
  if (version !== 1) return refuse(`the version is ${String(version)}, expected 1`);
  const known = OPERATION_LEVELS.find((each) => each === level);
  if (known === undefined) return refuse(`the level is ${String(level)}, expected ${OPERATION_LEVELS.join(' or ')}`);
  if (verdict !== 'satisfied' && verdict !== 'violated')
    return refuse(`the verdict is ${String(verdict)}, expected satisfied or violated`);
  if (operations !== history.operations.length)
    return refuse(
      `it is for a history of ${String(operations)} operations, but this history has ${history.operations.length}`,
    );
  const first: Value | undefined = typeof initial === 'string' ? parseValue(initial, 'initial') : undefined;
  const loaded = isModelFile(model)
    ? await loadModelFile(model)
    : builtInModel(model, first === undefined ? {} : { initial: first });
  const outcome = verifyOperations(history, independent === true ? keyed(loaded) : loaded, known, verdict, certificate);
  if (!outcome.ok) return refuse(outcome.problem);
  return { ok: true, result: 'accepted', checked: [{ what: 'operations', count: operations, text: said(operations) }] };
}

const said = (operations: number): string => (operations === 1 ? '1 operation' : `${operations} operations`);
