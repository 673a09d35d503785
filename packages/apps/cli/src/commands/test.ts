import process from 'node:process';
import { loadChecker } from 'isolab/check';
import { type Demand, type DemandFinding, findingsOf, type Plugin, pluginAt } from 'isolab/plugins';
import { visibleLine } from 'isolab/skin';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type CommandFlags, type CommandModule, SET } from '../terminal/options.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { demandsOf } from '../test-plugin/demands.ts';
import { parseOptions } from '../terminal/words.ts';
import { OPTIONS as OF_DRIVERS, driverTest } from '../test-plugin/driver.ts';

const OPTIONS = [SET, ...OF_DRIVERS] as const;
export type TestPluginFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab test ./my-workload.mjs --set keys=5', 'isolab test --db exec:./client --data tables'],
  options: OPTIONS,
  run: testPlugin,
};

/**
 * `isolab test`: runs the conformance suite for the kind of plug-in that the file exports; without a file, the suite
 * for drivers.
 */
export async function testPlugin(file: string | undefined, flags: TestPluginFlags, printer: Printer): Promise<number> {
  if (file === undefined) return driverTest(flags, printer);
  if (file.endsWith('.json')) {
    const { experimentDemands, loadExperimentFile } = await import('@isolab/experiments');
    const { datasetsOf, toolsOf } = await import('../bench/lab.ts');
    const root = process.cwd();
    const experiment = loadExperimentFile(file);
    const demands = experimentDemands(experiment, {
      root,
      datasets: datasetsOf(root).datasets,
      tools: toolsOf(root, undefined),
      loadChecker,
    });
    return tryAll({ file, kind: 'experiment', name: experiment.id, demands }, flags, printer);
  }
  if (file.endsWith('.lvl')) {
    const { level } = (await import('../levels/asked.ts')).levelOrFile(file);
    const { levelDemands } = await import('isolab/levels');
    return tryAll({ file, kind: 'level', name: level.name, demands: levelDemands(level) }, flags, printer);
  }
  const { kind, plugin } = await pluginAt(file);
  if (kind === 'driver') return driverTest({ ...flags, db: [`module:${file}`] }, printer);
  const set = parseOptions(flags.set, '--set');
  if (kind !== 'workload' && flags.set.length > 0)
    throw new UsageError(`--set sets a parameter of a workload, but ${file} is a ${kind}.`);
  const name = kind === 'checker' ? plugin.info.name : plugin.name;
  const demands = await demandsOf({ kind, plugin } as Exclude<Plugin, { kind: 'driver' }>, set);
  return tryAll({ file, kind, name, demands }, flags, printer);
}

interface Trial {
  readonly file: string;
  readonly kind: string;
  readonly name: string;
  readonly demands: readonly Demand[];
}

async function tryAll({ demands, ...what }: Trial, { output }: TestPluginFlags, printer: Printer): Promise<number> {
  const isText = output !== 'json';
  if (isText) printer.out(`${visibleLine(what.file)}: the ${what.kind} ${visibleLine(what.name)}`);
  const findings = await printer.interruptible((signal) =>
    findingsOf(demands, (finding) => isText && printer.out(line(finding)), signal),
  );
  const failed = findings.filter(({ holds }) => holds === false).length;
  const isWhole = findings.length === demands.length;
  if (!isText) printer.out(toJson({ ...what, holds: failed === 0 && isWhole, findings }));
  else if (failed > 0) printer.out(`${count(failed, 'check')} failed. See docs/plugin.md.`);
  else if (isWhole) printer.out(`The ${what.kind} passes every check.`);
  if (failed === 0 && !isWhole) printer.note('Interrupted before the last check.');
  if (failed > 0) return ExitCode.Failed;
  return isWhole ? ExitCode.Satisfied : ExitCode.Unknown;
}

function line({ check, holds, found, expected }: DemandFinding): string {
  const said = found === '' ? '' : `: ${visibleLine(found)}`;
  if (holds === true) return `  holds      ${check}${said}`;
  if (holds === null) return `  not shown  ${check}${said}`;
  return `  FAILS      ${check}: found ${visibleLine(found)}; expected ${expected}`;
}
