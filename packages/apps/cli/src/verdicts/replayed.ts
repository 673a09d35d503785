/** Replays the order of a satisfied recording on a second database, and prints the first result that differs. */
import { certificate } from 'isolab';
import type { CheckResult, LevelName, Opened } from 'isolab/check';
import { implies, levelInWords, visibleLine } from 'isolab/skin';
import { type Replayed, replay } from '@isolab/record';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type Printer, count } from '../terminal/print.ts';

/** Refuses calls without a serial order to replay. */
export function insistOnReplay(address: string, level: LevelName | undefined): void {
  if (!/^postgres(ql)?:\/\//.test(address))
    throw new UsageError(
      `--db is ${address}; expected postgres://…, a database with the initial rows of the recording.`,
    );
  if (level === undefined || !implies(level, 'plain-serializable'))
    throw new UsageError(
      `--db replays a serial order; name one level that has it, such as --level serializable${level === undefined ? '' : `, not ${level}`}.`,
    );
}

/** Returns the exit code of a replay. */
export async function tellReplay(
  input: Opened,
  result: CheckResult,
  { address, level }: { readonly address: string; readonly level: LevelName },
  printer: Printer,
): Promise<number> {
  const path = visibleLine(result.path);
  const order = orderOf(input, result, level);
  if (typeof order === 'string') {
    printer.note(`${path}: not replayed: ${order}.`);
    return ExitCode.Unknown;
  }
  const replayed = await printer.interruptible((signal) => replay(result.path, order, address, signal));
  for (const line of linesOf(replayed)) printer.note(`${path}: ${visibleLine(line)}`);
  if (replayed.difference !== null) return ExitCode.Violated;
  return replayed.stopped === null ? ExitCode.Satisfied : ExitCode.Unknown;
}

/** Returns the lines of the recording's transactions in the order of the certificate, or the reason why there is none. */
function orderOf(input: Opened, result: CheckResult, level: LevelName): readonly number[] | string {
  if (result.levels[level]?.verdict !== 'satisfied') return `its verdict on ${levelInWords(level)} is not satisfied`;
  const proof = certificate(input, result, level)?.certificate;
  if (proof?.kind !== 'commit-order') return 'its verdict has no certificate with a serial order';
  const { txnPosition } = input.prepared.history;
  return proof.order.map((transaction) => txnPosition[transaction]!);
}

function linesOf({ database, transactions, compared, left, difference, stopped }: Replayed): readonly string[] {
  if (difference !== null)
    return [
      `wrong result in line ${difference.line}: ${difference.sql}`,
      `  recorded: ${difference.recorded.join('; ') || 'no row'}`,
      `  ${database}, one transaction after the other: ${difference.replayed.join('; ') || 'no row'}`,
    ];
  const rest = left === 0 ? '' : `; ${count(left, 'result')} not compared`;
  const sum = `${count(transactions, 'transaction')} replayed on ${database}, ${count(compared, 'result')} equal${rest}`;
  return [stopped === null ? `${sum}.` : `${sum}. The comparison ended: ${stopped}.`];
}
