import {
  ENGINES,
  type Engine,
  type Newest,
  type Unanswered,
  availability,
  nameOf,
  newestOf,
  originWords,
} from '@isolab/engines';
import type { ListFlags } from './list-flags.ts';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type Printer, count, table, toJson } from '../terminal/print.ts';
import { unknownWord } from '../terminal/words.ts';

/** Prints the database engines that isolab can start, all facts about one of them, or newer releases. */
export function list(
  [name, ...others]: readonly string[],
  { output }: ListFlags,
  printer: Printer,
): number | Promise<number> {
  if (name === OUTDATED) return listOutdated(others, output, printer);
  if (others.length > 0) throw new UsageError('isolab list engines accepts one name.');
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

const OUTDATED = 'outdated';

/** Asks the registries for newer releases, of all engines or of those with the given names. */
async function listOutdated(names: readonly string[], output: string, printer: Printer): Promise<number> {
  const unknown = names.find((name) => !ENGINES.some((engine) => engine.name === name));
  if (unknown !== undefined) throw unknownWord('engine', unknown, [...new Set(ENGINES.map((one) => one.name))]);
  const chosen = names.length === 0 ? ENGINES : ENGINES.filter((engine) => names.includes(engine.name));
  const found: Newest[] = [];
  const unanswered: Unanswered[] = [];
  let isWhole = false;
  await printer.interruptible(async (signal) => {
    for await (const one of newestOf(chosen, signal)) {
      if ('newest' in one) found.push(one);
      else unanswered.push(one);
      if (signal.aborted) return;
    }
    isWhole = true;
  });
  const outdated = found.filter(({ isOutdated }) => isOutdated);
  if (output === 'json') printer.out(toJson({ engines: found, unanswered }));
  else {
    const rows = outdated.map(({ name, package: from, listed, newest }) => [name, from, listed, newest]);
    if (rows.length > 0) printer.out(table([['engine', 'package', 'listed', 'newest'], ...rows]));
    printer.out(`${count(outdated.length, 'package')} of ${found.length} have a newer release.`);
    for (const { name, package: from, reason } of unanswered) printer.note(`${name} (${from}): ${reason}`);
  }
  return isWhole && unanswered.length === 0 ? ExitCode.Satisfied : ExitCode.Unknown;
}

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

/** Prints one line for releases that differ only in their version. */
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
  out(
    '\nisolab list engines NAME prints all facts about each version; --db NAME@VERSION starts one; isolab list engines outdated asks for newer releases.',
  );
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
    if (violations.length === 0) out('  violates:  no known anomaly');
    for (const { level, what, link } of violations)
      out(`  violates:  ${level}: ${what}${link === null ? '' : ` (${link})`}`);
  }
}
