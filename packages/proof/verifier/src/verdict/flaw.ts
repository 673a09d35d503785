/** Problem found by a verifier. It is thrown and caught inside this folder and becomes the `problem`. */
export class Flaw extends Error {
  override readonly name = 'Flaw';
}

export function refuse(problem: string): never {
  throw new Flaw(problem);
}

/** Adds the location to a problem. Other thrown values are returned unchanged. */
export const located = (error: unknown, where: string): unknown =>
  error instanceof Flaw ? new Flaw(`${where}: ${error.message}`) : error;

/** Adds the location to problems found by `verify`. */
export function inside<T>(where: () => string, verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    throw located(error, where());
  }
}

export const nameTxn = (t: number): string => (t < 0 ? 'the initial transaction' : `transaction ${t}`);

/** Abbreviates data of a certificate of any kind for messages. */
export function show(data: unknown): string {
  if (typeof data === 'number') return String(data);
  if (typeof data === 'string') return JSON.stringify(data.length > SHOWN ? `${data.slice(0, SHOWN)}…` : data);
  if (data === null || data === undefined || typeof data === 'boolean') return String(data);
  return Array.isArray(data) ? 'a list' : `a value of type ${typeof data}`;
}

/** Fields of an object in a certificate. Any field may be missing. */
export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (data: unknown): data is Fields =>
  typeof data === 'object' && data !== null && !Array.isArray(data);

export function objectOf(data: unknown, what: string): Fields {
  return isObject(data) ? data : refuse(`${what} is ${show(data)}, expected an object`);
}

export function listOf(data: unknown, what: string): readonly unknown[] {
  return Array.isArray(data) ? (data as readonly unknown[]) : refuse(`${what} is ${show(data)}, expected a list`);
}

/** Reads each entry of a list. Problems name the entry. */
export const eachOf = <T>(
  data: unknown,
  what: string,
  where: (number: number) => string,
  read: (data: unknown) => T,
): T[] =>
  listOf(data, what).map((item, i) =>
    inside(
      () => where(i + 1),
      () => read(item),
    ),
  );

/** Reads an integer from `low` (inclusive) to `high` (exclusive). */
export function integerOf(data: unknown, low: number, high: number, what: string): number {
  if (typeof data !== 'number' || !Number.isInteger(data) || data < low || data >= high) {
    const expected = high > low ? `an integer from ${low} to ${high - 1}` : 'no number, because the history has none';
    refuse(`${what} is ${show(data)}, expected ${expected}`);
  }
  return data;
}

const SHOWN = 40;
