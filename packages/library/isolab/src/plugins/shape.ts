import { PluginError, shown } from './errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Check of a field: returns the problem with a value, in `expected …`; null if there is none. */
export type Expected = (value: unknown) => string | null;

export const text: Expected = (value) => (typeof value === 'string' && value.trim() !== '' ? null : 'a text');
export const kebab: Expected = (value) =>
  typeof value === 'string' && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(value)
    ? null
    : 'a name in kebab-case, such as my-own';
export const method: Expected = (value) => (typeof value === 'function' ? null : 'a function');
export const oneOf =
  (...words: readonly string[]): Expected =>
  (value) =>
    words.includes(value as string) ? null : `one of ${words.join(', ')}`;
export const optional =
  (expected: Expected): Expected =>
  (value) =>
    value === undefined ? null : expected(value);

export const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Returns the value if its fields are valid. Otherwise throws an error that lists all problems. */
export function insistOnShape(
  value: unknown,
  where: string,
  what: string,
  fields: Readonly<Record<string, Expected>>,
  more: (value: Fields) => readonly string[] = () => [],
): void {
  if (!isRecord(value)) throw new PluginError(`${where} exports ${shown(value)}, expected a ${what}`);
  const wrong = Object.entries(fields).flatMap(([field, expected]) => {
    const problem = expected(value[field]);
    return problem === null ? [] : [`${field} is ${shown(value[field])}, expected ${problem}`];
  });
  const problems = wrong.length > 0 ? wrong : more(value);
  if (problems.length > 0) throw new PluginError(`${where} is not a ${what}: ${problems.join('; ')}`);
}
