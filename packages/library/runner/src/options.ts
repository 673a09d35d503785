import { type Checker, type OptionSpec, defaultsOf } from '@isolab/contract';
import { RunnerError } from './errors.ts';

export type OptionValue = string | boolean | number;
export type OptionValues = Readonly<Record<string, OptionValue>>;
export type AnyOptionSpec = OptionSpec<OptionValue>;

/** A user's choice: a named variant, and options that override it. Text values are converted to the option's type. */
export interface Asked {
  readonly variant?: string | null;
  readonly options?: OptionValues;
}

/**
 * Returns the values of all options of a checker. An option whose name is in camelCase is also accepted in kebab-case.
 */
export function resolveOptions({ info }: Checker, { variant, options = {} }: Asked = {}): OptionValues {
  const specs = info.options as Readonly<Record<string, AnyOptionSpec>>;
  const resolved: Record<string, OptionValue> = defaultsOf<Record<string, OptionValue>>(specs);
  if (variant !== undefined && variant !== null) Object.assign(resolved, optionsOfVariant(info, variant));
  for (const [asked, value] of Object.entries(options)) {
    const name = Object.keys(specs).find((known) => known === asked || kebab(known) === asked);
    if (name === undefined) throw unknownOption(info.name, asked, specs);
    resolved[name] = convert(info.name, name, specs[name]!, value);
  }
  return resolved;
}

/** Returns a description of the expected value; null if the value is valid. */
export function whyNotValue(spec: AnyOptionSpec, value: unknown): string | null {
  const fits = typeof value === typeof spec.default && !Number.isNaN(value);
  if (spec.choices)
    return fits && spec.choices.includes(value as OptionValue) ? null : `one of ${spec.choices.join(', ')}`;
  if (fits) return null;
  return { string: 'a text', number: 'a number', boolean: 'true or false' }[typeof spec.default as 'string'];
}

export const isOptionValue = (value: unknown): value is OptionValue =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && !Number.isNaN(value));

function optionsOfVariant({ name, variants }: Checker['info'], variant: string): object {
  const found = Object.hasOwn(variants, variant) ? variants[variant] : undefined;
  if (found) return found.options;
  const known = Object.entries(variants).map(([each, { help }]) => `  ${each}: ${help}`);
  const list = known.length === 0 ? 'there are none.' : `expected one of\n${known.join('\n')}`;
  throw new RunnerError('unknown-variant', `${name} has no variant '${variant}'; ${list}`);
}

function unknownOption(checker: string, asked: string, specs: Readonly<Record<string, AnyOptionSpec>>): RunnerError {
  const known = Object.entries(specs).map(
    ([name, spec]) => `  ${name} (default ${String(spec.default)}): ${spec.help}`,
  );
  const list = known.length === 0 ? 'there are none.' : `expected one of\n${known.join('\n')}`;
  return new RunnerError('unknown-option', `${checker} has no option '${asked}'; ${list}`);
}

function convert(checker: string, name: string, spec: AnyOptionSpec, value: OptionValue): OptionValue {
  const converted = typeof value === 'string' ? fromText(typeof spec.default, value) : value;
  const expected = whyNotValue(spec, converted);
  if (expected === null) return converted;
  throw new RunnerError('invalid-option', `The option ${name} of ${checker} is '${value}', expected ${expected}.`);
}

function fromText(type: string, text: string): OptionValue {
  if (type === 'number') return text.trim() === '' ? Number.NaN : Number(text);
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
