import type { Operation } from '../history/history.ts';
import { type SequentialModel, defineModel } from '../machine/model.ts';
import { type Value, equalValues } from '../history/value.ts';
import { pairOf } from './arguments.ts';

export interface RegisterOptions {
  /** Initial value; nil by default. */
  readonly initial?: Value;
  /** Whether a read of nil may have found any value, as in knossos; otherwise it found nil. */
  readonly nilIsUnknown?: boolean;
}

/** A register with one value: `read` returns it, `write` replaces it. */
export const register = (options: RegisterOptions = {}): SequentialModel<Value> =>
  defineModel({
    name: 'register',
    initial: options.initial ?? null,
    functions: ['read', 'write'],
    isRead: ({ f }) => f === 'read',
    step: (state, operation) =>
      operation.f === 'write' ? operation.argument : mayRead(state, operation.result, options) ? state : undefined,
  });

/**
 * A register with `cas`, whose argument is the expected and the new value. If it finds another value, its result is
 * false. A `cas` without a known result has no effect in that case.
 */
export const casRegister = (options: RegisterOptions = {}): SequentialModel<Value> =>
  defineModel({
    name: 'cas-register',
    initial: options.initial ?? null,
    functions: ['read', 'write', 'cas'],
    isRead: ({ f, result }) => f === 'read' || (f === 'cas' && result === false),
    step(state, operation) {
      if (operation.f === 'write') return operation.argument;
      if (operation.f === 'read') return mayRead(state, operation.result, options) ? state : undefined;
      return compareAndSet(state, operation);
    },
  });

function compareAndSet(state: Value, operation: Operation): Value | undefined {
  const [expected, next] = pairOf(operation);
  const isSame = equalValues(state, expected);
  if (operation.result === undefined) return isSame ? next : state;
  return operation.result === false ? (isSame ? undefined : state) : isSame ? next : undefined;
}

/** Registers by key: `get` and `delete` take a key; `put`, `append` and `cas` take a pair that begins with the key. */
export const map = (options: RegisterOptions = {}): SequentialModel<Value> =>
  defineModel({
    name: 'map',
    initial: options.initial ?? null,
    functions: ['get', 'put', 'append', 'cas', 'delete'],
    isRead: ({ f, result }) => f === 'get' || (f === 'cas' && result === false),
    partition: (operation) => (takesPair(operation) ? pairOf(operation)[0] : operation.argument),
    step(state, operation) {
      const { f, result } = operation;
      if (f === 'get') return mayRead(state, result, options) ? state : undefined;
      if (f === 'delete') return null;
      const [, value] = pairOf(operation);
      if (f === 'put') return value;
      if (f === 'append') return `${state === null ? '' : String(state)}${String(value)}`;
      return compareAndSet(state, { ...operation, argument: value });
    },
  });

const takesPair = ({ f }: Operation): boolean => f === 'put' || f === 'append' || f === 'cas';

/**
 * Registers that one operation can read and write together: `txn` takes [['read', key, value], ['write', key, value],
 * …], and its result contains the values that it read.
 */
export const multiRegister = ({ initial, nilIsUnknown = false }: RegisterOptions = {}): SequentialModel<
  ReadonlyMap<Value, Value>
> =>
  defineModel({
    name: 'multi-register',
    initial: initial instanceof Map ? initial : new Map(),
    functions: ['txn'],
    isRead: ({ argument }) => Array.isArray(argument) && argument.every((part) => kindOf(part) === 'read'),
    step(state, operation) {
      const asked = operation.argument;
      const parts = operation.result ?? asked;
      if (!Array.isArray(asked) || !Array.isArray(parts) || parts.length !== asked.length)
        throw new Error('expected a sequence of reads and writes, and a result of the same length');
      let next = state;
      for (const part of parts) {
        if (!Array.isArray(part) || part.length !== 3) throw new Error('expected [read or write, key, value]');
        const [, key, value] = part as [Value, Value, Value];
        if (kindOf(part) === 'write') next = new Map(next).set(key, value);
        else if (operation.result !== undefined && !mayRead(next.get(key) ?? null, value, { nilIsUnknown }))
          return undefined;
      }
      return next;
    },
  });

function kindOf(part: Value): 'read' | 'write' {
  const [word] = Array.isArray(part) ? (part as readonly Value[]) : [null];
  if (word === ':read' || word === ':r' || word === 'read' || word === 'r') return 'read';
  if (word === ':write' || word === ':w' || word === 'write' || word === 'w') return 'write';
  throw new Error('expected read or write at the beginning of each part');
}

const mayRead = (state: Value, result: Value | undefined, { nilIsUnknown = false }: RegisterOptions): boolean =>
  result === undefined || (result === null && nilIsUnknown) || equalValues(state, result);
