import { type Engine, nameOf } from './engine.ts';
import { EngineError } from './errors.ts';
import { EMBEDDED, ENGINES } from './list/index.ts';

/** What an address asks for: `embedded`, or `postgres@12.3?deadlock_timeout=1s`. */
export interface EngineAddress {
  readonly engine: Engine;
  readonly options: Readonly<Record<string, string>>;
}

/** Whether an address names an engine that isolab starts. */
export const isEngineAddress = (address: string): boolean =>
  /^(?:embedded|[a-z][a-z\d-]*@[^/:]*?)(?:\?|:?$)/.test(address);

export function parseEngineAddress(address: string): EngineAddress {
  const [name = '', query = ''] = address.replace(/:$/, '').split('?', 2);
  const engine = findEngine(name);
  const options = Object.fromEntries(new URLSearchParams(query));
  for (const [option, value] of Object.entries(options)) checkOption(engine, option, value);
  return { engine, options };
}

export function findEngine(name: string): Engine {
  const engine = name === 'embedded' ? EMBEDDED : ENGINES.find((one) => nameOf(one) === name);
  if (engine) return engine;
  throw new EngineError(
    `isolab cannot start ${name}, only ${ENGINES.map(nameOf).join(', ')}. For another server, start it and give its address: --db postgres://…`,
  );
}

function checkOption({ title, options }: Engine, name: string, value: string): void {
  const { choices = {}, settings, fixed = [] } = options;
  const values = Object.hasOwn(choices, name) ? choices[name] : undefined;
  if (values) {
    if (values.includes(value)) return;
    throw new EngineError(`The option ${name} of ${title} is ${value}, expected one of ${values.join(', ')}.`);
  }
  if (!settings) {
    const known = Object.entries(choices).map(([option, each]) => `${option}=${each.join('|')}`);
    const expected = known.length > 0 ? `expected ${known.join(', ')}` : 'it takes none';
    throw new EngineError(`${title} has no option ${name}; ${expected}.`);
  }
  checkSetting(name, value, fixed);
}

/** Numbers and switches only: no setting names a file, a program or an address. */
function checkSetting(name: string, value: string, fixed: readonly string[]): void {
  if (!/^[a-z_]+$/.test(name) || fixed.includes(name))
    throw new EngineError(
      `The setting ${name} of the server cannot be changed; expected one such as deadlock_timeout.`,
    );
  if (!/^(?:-?\d+(?:\.\d+)?(?:us|ms|s|min|kB|MB|GB)?|on|off)$/i.test(value))
    throw new EngineError(`The setting ${name} is ${value}, expected a number such as 5 or 50ms, on, or off.`);
}
