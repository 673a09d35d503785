import { type JepsenEvent, pairsOf } from '@isolab/operations';
import { type JepsenResults, integerOf } from './events.ts';

/**
 * Checks that a read lies between the sum of certain adds when it was invoked, and the sum of possible adds when it
 * completed. Adds are not negative. A failed add never counts.
 */
export function counter(events: readonly JepsenEvent[]): JepsenResults {
  const pairs = pairsOf(events);
  const failed = new Set(
    pairs.flatMap(({ invocation, completion }) => (completion?.type === 'fail' ? [invocation] : [])),
  );
  const invocationOf = new Map(
    pairs.flatMap(({ invocation, completion }) => (completion ? [[completion, invocation] as const] : [])),
  );
  const lowerAt = new Map<JepsenEvent, bigint>(); // by read, at its invocation
  const reads: bigint[][] = [];
  let lower = 0n;
  let upper = 0n;
  for (const event of events) {
    const { type, f } = event;
    const invocation = invocationOf.get(event);
    if (f === 'add' && type === 'invoke' && !failed.has(event)) upper += amountOf(event);
    else if (f === 'add' && type === 'ok' && invocation) lower += amountOf(invocation);
    else if (f === 'read' && type === 'invoke') lowerAt.set(event, lower);
    else if (f === 'read' && type === 'ok' && invocation)
      reads.push([lowerAt.get(invocation)!, integerOf(event.value, event, 'a result'), upper]);
  }
  const errors = reads.filter(([low, read, high]) => low! > read! || read! > high!);
  return { 'valid?': errors.length === 0, reads, errors };
}

const amountOf = (event: JepsenEvent): bigint => {
  const amount = integerOf(event.value, event, 'an amount');
  if (amount < 0n) throw new NegativeAmount(event.line);
  return amount;
};

class NegativeAmount extends Error {
  override readonly name = 'IllegalHistory';

  constructor(line: number) {
    super(`line ${line}: found a negative amount, expected a counter that only grows`);
  }
}
