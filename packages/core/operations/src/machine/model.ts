import type { Operation } from '../history/history.ts';
import type { Value } from '../history/value.ts';

/** An object that executes one operation at a time, as data and functions without side effects. */
export interface SequentialModel<State = unknown> {
  /** In kebab-case. */
  readonly name: string;
  readonly initial: State;
  /** Returns the state after an operation, or undefined if it cannot have had its result in this state. */
  step?(state: State, operation: Operation): State | undefined;
  /**
   * Replaces `step` if an operation may lead to several states. Returns all of them; none if the operation is
   * impossible.
   */
  steps?(state: State, operation: Operation): readonly State[];
  /** Names of operations; any other name is an input error. */
  readonly functions?: readonly string[];
  /** Returns whether an operation never changes any state. Such operations can be omitted from an explanation. */
  isRead?(operation: Operation): boolean;
  /**
   * Returns the key of the only part of the object that an operation accesses. Each part has its own state, initially
   * `initial`.
   */
  partition?(operation: Operation): Value;
  /** Returns whether two states are equal. By default, compares their contents, which must be plain data. */
  equal?(a: State, b: State): boolean;
  /** Returns a number or text that is equal for equal states. By default, their contents. */
  hash?(state: State): string | number;
  show?(state: State): string;
  /** Calls and their possible results. `isolab test` uses only these. */
  readonly examples?: readonly OperationExample[];
}

/** A call and a possible result in some state; null if there is no result. */
export type OperationExample = Pick<Operation, 'f'> & Partial<Pick<Operation, 'argument' | 'result'>>;

/** Returns the given model; exists for type checking in editors. */
export const defineModel = <State>(model: SequentialModel<State>): SequentialModel<State> => model;

/** Requirement on a history: a total order of its operations that a model allows and that keeps … */
export type OperationLevel =
  /** … the order of non-overlapping operations, */
  | 'linearizable'
  /** … or only the order of each process. */
  | 'sequential';

export const OPERATION_LEVELS: readonly OperationLevel[] = ['linearizable', 'sequential'];

/** Proof that the level holds: operations by number, in an order that the model allows. */
export interface OperationOrder {
  readonly kind: 'operation-order';
  readonly order: readonly number[];
}

/**
 * A part of the history that has no order; the steps that led to it cannot add a violation. Verifying it requires a
 * search through all its orders.
 */
export interface PartCertificate {
  readonly kind: 'operation-part';
  /** Operations with their results. */
  readonly kept: readonly number[];
  /** Operations that may or may not have happened, with any result: facts about them are not needed. */
  readonly relaxed: readonly number[];
  /** Time limit: later calls are ignored, and later returns are treated as missing; null for the whole history. */
  readonly until: number | null;
}

export type OperationVerdict =
  | { readonly status: 'satisfied'; readonly certificate: OperationOrder }
  | {
      readonly status: 'violated';
      readonly certificate: PartCertificate | null;
      /**
       * Longest order that was found, and the operation that can never follow it; −1 if there is no single such
       * operation.
       */
      readonly longest: readonly number[];
      readonly stuck: number;
    }
  | {
      readonly status: 'unknown';
      readonly reason: 'timeout' | 'memory' | 'steps' | 'aborted' | 'crashed';
      readonly detail: string;
    };

/** Thrown if a model does not exist, throws, or violates its interface. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** Checks that a user's object is a model, and reports missing parts. */
export function asModel(given: unknown, from: string): SequentialModel {
  if (typeof given !== 'object' || given === null)
    throw new ModelError(
      `${from}: found no object as the default export, expected defineModel({ name, initial, step })`,
    );
  const model = given as Partial<Record<keyof SequentialModel, unknown>>;
  if (typeof model.name !== 'string') throw new ModelError(`${from}: found no name, expected a text in kebab-case`);
  if (!('initial' in model)) throw new ModelError(`${from}: found no initial state, expected the field initial`);
  if ((typeof model.step === 'function') === (typeof model.steps === 'function'))
    throw new ModelError(`${from}: expected one of step(state, operation) and steps(state, operation)`);
  for (const name of ['isRead', 'partition', 'equal', 'hash', 'show'] as const)
    if (model[name] !== undefined && typeof model[name] !== 'function')
      throw new ModelError(`${from}: found ${typeof model[name]} as ${name}, expected a function`);
  if (model.functions !== undefined && !Array.isArray(model.functions))
    throw new ModelError(`${from}: expected functions to be an array of names`);
  if (model.examples !== undefined && !(Array.isArray(model.examples) && model.examples.every(isExample)))
    throw new ModelError(`${from}: expected examples to be an array of { f, argument, result }`);
  return given as SequentialModel;
}

const isExample = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as { readonly f?: unknown }).f === 'string';

/** Returns the states after an operation, for both forms of a model. */
export function nextStates<State>(model: SequentialModel<State>, state: State, operation: Operation): readonly State[] {
  if (model.steps) return model.steps(state, operation);
  const next = model.step!(state, operation);
  return next === undefined ? [] : [next];
}
