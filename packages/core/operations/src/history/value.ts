/**
 * Arguments and results of operations: plain data. An EDN keyword is a string that begins with a colon; sequences are
 * arrays, regardless of their brackets.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Value[]
  | ReadonlyMap<Value, Value>
  | ReadonlySet<Value>;

/**
 * Returns a text that is equal for equal plain values and different for different ones. The order of entries in maps,
 * sets and objects does not matter. Throws a TypeError for all other values, such as functions and instances of
 * classes.
 */
export function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Object.is(value, -0) ? '0' : String(value);
    case 'bigint':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      return value === null ? 'null' : textOfObject(value);
    default:
      throw new TypeError(`a ${typeof value} is not a plain value`);
  }
}

function textOfObject(value: object): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (value instanceof Set) return `#{${Array.from(value, textOf).toSorted().join(',')}}`;
  if (value instanceof Map) return `#:{${pairsOf(value).toSorted().join(',')}}`;
  return `{${fieldsOf(value).toSorted().join(',')}}`;
}

const pairsOf = (map: ReadonlyMap<unknown, unknown>): string[] =>
  Array.from(map, ([key, value]) => `${textOf(key)}:${textOf(value)}`);

function fieldsOf(value: object): string[] {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError(`an object of the class ${value.constructor.name} is not a plain value`);
  return Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${textOf(field)}`);
}

export const equalValues = (a: unknown, b: unknown): boolean => a === b || textOf(a) === textOf(b);

/** Shows a value in a message: Clojure's `[1 2]` becomes [1, 2], and keywords have no quotes. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return value.startsWith(':') ? value : JSON.stringify(value);
  if (value === null) return 'nil';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(showValue).join(', ')}]`;
  if (value instanceof Set) return `{${Array.from(value, showValue).join(', ')}}`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return `{${entries.map(([key, each]) => `${showValue(key)}: ${showValue(each)}`).join(', ')}}`;
}
