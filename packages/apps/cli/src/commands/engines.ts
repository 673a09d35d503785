import {
  ENGINES,
  type Engine,
  EngineError,
  Interrupted,
  availability,
  findEngine,
  get,
  nameOf,
  originWords,
} from '@isolab/engines';
import { visibleLine } from 'isolab/skin';
import { ExitCode, UsageError } from '../exit.ts';
import type { CommandModule } from '../options.ts';
import { type Printer, table, toJson } from '../print.ts';
import { fetchingLine } from '../progress.ts';
import { unknownWord } from '../words.ts';

interface EnginesFlags {
  readonly output: string;
}

export const command: CommandModule = {
  examples: ['isolab engines list', 'isolab engines get postgres@12.3'],
  options: [],
  run: engines,
};

/** `isolab engines list [NAME]` and `isolab engines get NAME@VERSION…`. */
export async function engines(
  action: string | undefined,
  names: readonly string[],
  flags: EnginesFlags,
  printer: Printer,
): Promise<number> {
  if (action === undefined || action === 'list') return list(names, flags, printer);
  if (action === 'get') return getAll(names, flags, printer);
  throw new UsageError(`isolab engines takes list or get, not ${action}.`);
}

function list([name, ...others]: readonly string[], { output }: EnginesFlags, printer: Printer): number {
  if (others.length > 0) throw new UsageError('isolab engines list takes one name.');
  const chosen = name === undefined ? ENGINES : ENGINES.filter((one) => one.name === name || nameOf(one) === name);
  if (chosen.length === 0) {
    const known = [...new Set(ENGINES.map((one) => one.name)), ...ENGINES.map(nameOf)];
    throw unknownWord('engine', name!, known);
  }
  if (output === 'json') printer.out(toJson({ engines: chosen.map(described) }));
  else if (name === undefined) listAll(printer);
  else tell(chosen, printer);
  return ExitCode.Satisfied;
}

/** Engine as JSON, for programs. */
const described = (engine: Engine): object => ({
  engine: nameOf(engine),
  name: engine.name,
  version: engine.version,
  title: engine.title,
  isolations: engine.isolations,
  data: engine.data,
  options: engine.options.choices ?? {},
  from: originWords(engine),
  needs: engine.needs,
  violations: engine.violations ?? [],
  unavailable: availability(engine),
});

const claimsOf = ({ isolations }: Engine): string =>
  isolations.map(({ name, claims }) => (isSame(name, claims) ? name : `${name}: ${claims}`)).join(', ');

const isSame = (name: string, level: string): boolean => name.replaceAll(' ', '-') === level;

const hereOf = (engine: Engine): string => {
  const why = availability(engine);
  return why === null ? 'yes' : `no: ${why}`;
};

/** A line for releases that differ in nothing but their version. */
function listAll({ out }: Printer): void {
  const groups = new Map<string, Engine[]>();
  for (const engine of ENGINES) {
    const alike = [engine.name, claimsOf(engine), originWords(engine), hereOf(engine)].join('\n');
    groups.set(alike, [...(groups.get(alike) ?? []), engine]);
  }
  const rows = [...groups.values()].map((alike) => [
    alike[0]!.name,
    claimsOf(alike[0]!),
    originWords(alike[0]!),
    hereOf(alike[0]!),
    alike.map(({ version }) => version).join(' '),
  ]);
  out(table([['engine', 'claims', 'from', 'runs here', 'versions'], ...rows]));
  out('\nisolab engines list NAME says what is known of each version; --db NAME@VERSION starts one.');
}

function tell(chosen: readonly Engine[], { out, style }: Printer): void {
  for (const engine of chosen) {
    const { title, options, violations = [], documentation } = engine;
    out(`${style.bold(nameOf(engine))}  ${title}`);
    out(`  claims:    ${claimsOf(engine)}`);
    out(`  from:      ${originWords(engine)}`);
    out(`  runs here: ${hereOf(engine)}`);
    for (const [option, values] of Object.entries(options.choices ?? {}))
      out(`  option:    ${option}=${values.join('|')}`);
    if (options.settings) out('  option:    any setting of the server that is a number or a switch');
    if (documentation !== undefined) out(`  says so:   ${documentation}`);
    if (violations.length === 0) out('  violates:  nothing that is known');
    for (const { level, what, link } of violations)
      out(`  violates:  ${level}: ${what}${link === null ? '' : ` (${link})`}`);
  }
}

async function getAll(names: readonly string[], { output }: EnginesFlags, printer: Printer): Promise<number> {
  if (names.length === 0) throw new UsageError('isolab engines get takes names, such as postgres@12.3.');
  const chosen = names.map(findEngine);
  const got: { engine: string; folder: string }[] = [];
  const missing: { engine: string; reason: string }[] = [];
  const whole = await printer.interruptible(async (signal) => {
    for (const engine of chosen) {
      const fetching = fetchingLine(printer);
      try {
        got.push({ engine: nameOf(engine), folder: await get(engine, signal, fetching.hear) });
      } catch (error) {
        if (error instanceof Interrupted) return false;
        if (!(error instanceof EngineError)) throw error;
        missing.push({ engine: nameOf(engine), reason: error.message });
      } finally {
        fetching.clear();
      }
    }
    return true;
  });
  if (output === 'json') printer.out(toJson({ engines: got, missing }));
  else {
    for (const { engine, folder } of got) printer.out(`${engine}  ${visibleLine(folder)}`);
    for (const { reason } of missing) printer.note(reason);
  }
  if (!whole) printer.note('Interrupted. The same command goes on from there.');
  return whole && missing.length === 0 ? ExitCode.Satisfied : ExitCode.Unknown;
}
