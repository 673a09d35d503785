import { didYouMean } from '@isolab/contract';
import { type Engine, type Options, nameOf } from './engine/engine.ts';
import { EngineError } from './engine/errors.ts';
import { EMBEDDED, ENGINES, UNLISTED } from './list/index.ts';

/** Parts of an address such as `embedded` or `postgres@12.3?max_connections=50`. */
export interface EngineAddress {
  readonly engine: Engine;
  readonly options: Readonly<Record<string, string>>;
}

/**
 * Returns whether an address names an engine that isolab starts: a known name, or any name with a version. `duckdb:`
 * does not: it opens a database with the installed package.
 */
export function isEngineAddress(address: string): boolean {
  const [, name, version, rest] = /^([a-z][a-z\d-]*)(@[^/:]*?)?(\?.*|:?)$/s.exec(address) ?? [];
  if (name === undefined) return false;
  return version !== undefined || name === 'embedded' || (rest !== ':' && NAMES.includes(name));
}

const NAMES: readonly string[] = [...new Set(ENGINES.map(({ name }) => name))];

export function parseEngineAddress(address: string): EngineAddress {
  const [name = '', query = ''] = address.replace(/:$/, '').split('?', 2);
  const engine = findEngine(name);
  const options = Object.fromEntries(new URLSearchParams(query));
  for (const [option, value] of Object.entries(options)) checkOption(engine, option, value);
  return { engine, options };
}

/**
 * Finds an engine by name: `embedded`, `postgres@12.3`, or `postgres` for the first PostgreSQL in the list. An unlisted
 * version may exist in a registry; the download shows whether it does.
 */
export function findEngine(word: string): Engine {
  if (word === 'embedded') return EMBEDDED;
  const [name = '', version] = word.split('@', 2);
  const found = ENGINES.find((one) => one.name === name && (version === undefined || one.version === version));
  if (found) return found;
  const unlisted = Object.hasOwn(UNLISTED, name) ? UNLISTED[name] : undefined;
  if (unlisted && version !== undefined && /^\d+(?:\.\d+)*(?:[-+][\w.-]+)?$/.test(version)) return unlisted(version);
  throw new EngineError(
    NAMES.includes(name) ? unknownVersion(name, version ?? '', unlisted !== undefined) : unknownName(name),
  );
}

function unknownVersion(name: string, version: string, isOpen: boolean): string {
  const known = ENGINES.filter((one) => one.name === name).map(nameOf);
  const others = isOpen ? ', or another version that npm has' : '';
  return `isolab cannot start ${name}@${version}; it can start ${known.join(', ')}${others}. For another server, start it and give its address: --db ${name}://…`;
}

const unknownName = (name: string): string =>
  `There is no engine ${name}; ${didYouMean(name, [...NAMES, 'embedded'])}isolab list engines names them: ${NAMES.join(', ')}. For another server, start it and give its address, such as postgres://….`;

function checkOption({ title, options }: Engine, name: string, value: string): void {
  const { choices = {}, settings } = options;
  const values = Object.hasOwn(choices, name) ? choices[name] : undefined;
  if (values) {
    if (values.includes(value)) return;
    throw new EngineError(`The option ${name} of ${title} is ${value}, expected one of ${values.join(', ')}.`);
  }
  if (!settings) {
    const known = Object.entries(choices).map(([option, each]) => `${option}=${each.join('|')}`);
    const expected = known.length > 0 ? `expected ${known.join(', ')}` : 'it has no options';
    throw new EngineError(`${title} has no option ${name}; ${expected}.`);
  }
  checkSetting(name, value, options);
}

/** Allows only numbers and switches, so that no setting can name a file, a program or an address. */
function checkSetting(name: string, value: string, { fixed = [], ofSessions = [] }: Options): void {
  if (!/^[a-z_]+$/.test(name) || fixed.includes(name))
    throw new EngineError(
      `The setting ${name} of the server cannot be changed; expected a setting such as max_connections.`,
    );
  if (ofSessions.includes(name))
    throw new EngineError(
      `Every session sets ${name} itself, so the server’s setting has no effect. Set it with --session-setup "SET ${name} = ${quoted(value)}".`,
    );
  if (!/^(?:-?\d+(?:\.\d+)?(?:us|ms|s|min|kB|MB|GB)?|on|off)$/i.test(value))
    throw new EngineError(`The setting ${name} is ${value}, expected a number such as 5 or 50ms, on, or off.`);
}

/** Returns a value as a SQL literal. */
const quoted = (value: string): string => (/^-?\d+$/.test(value) ? value : `'${value}'`);
