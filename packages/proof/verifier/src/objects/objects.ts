import type { OperationHistory, OperationLevel, SequentialModel } from '@isolab/operations';
import { integerOf, listOf, objectOf, refuse, show } from '../verdict/flaw.ts';
import { type ProofOutcome, outcomeOf } from '../verdict/verification.ts';
import { verifyOrder } from './order.ts';
import { verifyPart } from './part.ts';

/**
 * Verifies whether a certificate proves a verdict about operations on an object. The effects of operations are defined
 * by the model, whose functions are called again. Order, time and programs are taken from the history, and the
 * certificate is not trusted.
 * A search through all orders of a part verifies that the part has no valid order. The search stops after `limit`
 * steps, and the certificate is then refused as too large.
 */
export function verifyOperations(
  history: OperationHistory,
  model: SequentialModel,
  level: OperationLevel,
  verdict: 'satisfied' | 'violated',
  certificate: unknown,
  limit: number = MOST_PART_STEPS,
): ProofOutcome {
  return outcomeOf(() => {
    if (level !== 'linearizable' && level !== 'sequential') refuse(`${show(level)} is not a level of operations`);
    const data = objectOf(certificate, 'the certificate');
    const expected = verdict === 'satisfied' ? 'operation-order' : 'operation-part';
    if (data['kind'] !== expected)
      refuse(`the certificate is of kind ${show(data['kind'])}, expected ${show(expected)}`);
    const numbers = (name: string): number[] =>
      listOf(data[name], name).map((i) => integerOf(i, 0, history.operations.length, `an entry of ${name}`));
    if (verdict === 'satisfied') return verifyOrder(history, model, level, numbers('order'));
    const { until } = data;
    if (until !== null && typeof until !== 'number') return refuse(`until is ${show(until)}, expected a time or null`);
    return verifyPart(history, model, level, { kept: numbers('kept'), relaxed: numbers('relaxed'), until }, limit);
  });
}

/** Takes about ten seconds. */
export const MOST_PART_STEPS = 20_000_000;
