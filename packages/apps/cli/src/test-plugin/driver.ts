import { type DataKind, type DriverFinding, driverFor, isolationNamed, testDriver } from '@isolab/collector';
import { Interrupted, visibleLine } from 'isolab/skin';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { parseTime } from '../terminal/limits.ts';
import { CONNECT_TIMEOUT, type CommandFlags, DATABASE, repeated } from '../terminal/options.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { fetchingLine } from '../terminal/progress.ts';

/** Options of `isolab test` for a driver. */
export const OPTIONS = [
  ...DATABASE,
  repeated('--data <kind>', 'test only this kind of data: registers, lists, rows, tables'),
  CONNECT_TIMEOUT,
] as const;

/** `isolab test --db ADDRESS`: checks a driver line by line against the requirements of a collection. */
export async function driverTest(flags: CommandFlags<typeof OPTIONS>, printer: Printer): Promise<number> {
  const [address, ...others] = flags.db;
  if (address === undefined || others.length > 0) throw new UsageError('isolab test accepts only one --db.');
  const connectMs = parseTime(flags.connectTimeout, '--connect-timeout');
  const driver = await driverFor(address);
  const isolation = flags.isolation === undefined ? driver.isolations.at(-1)! : isolationNamed(driver, flags.isolation);
  const unknown = flags.data.find((kind) => !driver.data.some((known) => known === kind));
  if (unknown !== undefined)
    throw new UsageError(
      `--data is ${unknown}; expected one of ${driver.data.join(', ')}, the kinds of data in ${driver.title}.`,
    );
  const kinds = flags.data.length > 0 ? (flags.data as readonly DataKind[]) : driver.data;
  const isText = flags.output !== 'json';
  if (isText) printer.out(`${visibleLine(driver.title)}, ${visibleLine(isolation.name)}`);
  const findings = await printer.interruptible((signal) => {
    const fetching = fetchingLine(printer);
    const limits = { connectMs, signal, sessionSetup: flags.sessionSetup, onFetch: fetching.hear };
    const tell = (finding: DriverFinding): void => {
      fetching.clear();
      if (isText) printer.out(line(finding));
    };
    const onKinds = (has: readonly DataKind[]): void => {
      const lacking = kinds.filter((kind) => !has.includes(kind));
      if (lacking.length > 0 && flags.data.length > 0)
        throw new UsageError(
          `--data is ${lacking[0]}; expected one of ${has.join(', ')}, the kinds that the program has.`,
        );
      if (lacking.length > 0) printer.note(`The program has ${has.join(', ')}; ${lacking.join(', ')} are not tested.`);
    };
    return testDriver(driver, address, isolation, limits, kinds, { onFinding: tell, onKinds }).catch(
      (error: unknown) => {
        if (error instanceof Interrupted) return null;
        throw error;
      },
    );
  });
  if (findings === null) {
    printer.note('Interrupted before the last check.');
    return ExitCode.Unknown;
  }
  const failed = findings.filter(({ holds }) => holds === false).length;
  if (isText && findings.at(-1)?.isSilent) printer.out('  The database stopped answering; the rest is not tested.');
  if (isText)
    printer.out(
      failed === 0 ? 'The driver passes every check.' : `${count(failed, 'check')} failed. See docs/drivers.md.`,
    );
  else printer.out(toJson({ driver: driver.title, isolation: isolation.name, holds: failed === 0, findings }));
  return failed === 0 ? ExitCode.Satisfied : ExitCode.Failed;
}

function line({ data, check, holds, found, expected }: DriverFinding): string {
  if (holds === true) return `  holds      ${data}: ${check}`;
  if (holds === null) return `  not shown  ${data}: ${check}: ${visibleLine(found)}`;
  return `  FAILS      ${data}: ${check}: found ${visibleLine(found)}; expected ${expected}`;
}
