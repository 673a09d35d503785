import type { CheckInput, Checker, LevelName, Stop } from '@isolab/contract';
import type { HostedContext } from './context.ts';
import { errorText } from './errors.ts';
import type { OptionValues } from './options.ts';
import { type RunOutcome, unknown } from './outcome.ts';
import { inspectVerdict, isCheckerReason, numTransactionsOf, withReason } from './sane-verdict.ts';

/** Calls the checker and converts its behaviour to an outcome. Never throws. */
export async function execute(
  checker: Checker,
  input: CheckInput,
  level: LevelName,
  options: OptionValues,
  { context, stopped, end }: HostedContext,
): Promise<RunOutcome> {
  let returned: unknown;
  try {
    returned = await checker.check(input, level, options, context);
    end();
  } catch (error) {
    end();
    return outcomeOfThrown(error, stopped());
  }
  const inspected = inspectVerdict(returned, numTransactionsOf(input));
  // A checker that catches Stop may still report a violation already found. Any other verdict would be a guess.
  const stop = stopped();
  if (stop && !('verdict' in inspected && inspected.verdict.status === 'violated'))
    return unknown(stop.reason, stop.message);
  if ('problem' in inspected) return unknown('crashed', `${checker.info.name}: ${inspected.problem}`);
  const verdict = context.certify ? withReason(inspected.verdict, input.kind === 'polygraph') : inspected.verdict;
  return { ...inspected, verdict, error: null };
}

function outcomeOfThrown(error: unknown, stop: Stop | null): RunOutcome {
  const { name, reason } = nameAndReason(error);
  const text = errorText(error);
  // A checker may rethrow Stop with a message of its own, for example about its progress.
  if (stop) return unknown(stop.reason, name === 'Stop' ? text.message : stop.message);
  if (name === 'Stop' && isCheckerReason(reason)) return unknown(reason, text.message);
  if (text.name === 'RangeError' && /allocation failed/i.test(text.message))
    return unknown('memory', text.message, text);
  return unknown('crashed', `${text.name}: ${text.message}`, text);
}

/** Avoids `instanceof`, because a plug-in may bring its own copy of the contract's package. */
function nameAndReason(error: unknown): { readonly name?: unknown; readonly reason?: unknown } {
  try {
    const { name, reason } = (error ?? {}) as { readonly name?: unknown; readonly reason?: unknown };
    return { name, reason };
  } catch {
    return {};
  }
}
