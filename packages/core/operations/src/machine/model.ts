import type { Operation } from '../history/history.ts';
import type { Value } from '../history/value.ts';

/** An object that does one operation at a time, as data and functions without side effects. */
export interface SequentialModel<State = unknown> {
  /** In kebab-case. */
  readonly name: string;
  readonly initial: State;
  /** The state that an operation leaves behind, or undefined if it cannot have had this result in this state. */
  step?(state: State, operation: Operation): State | undefined;
  /** Instead of `step`, where an operation may leave one of several states behind: all of them, none if impossible. */
  steps?(state: State, operation: Operation): readonly State[];
  /** Names of operations; any other one is an error of the input. */
  readonly functions?: readonly string[];
  /** Whether an operation never changes any state. Such operations can be left out of an explanation. */
  isRead?(operation: Operation): boolean;
  /** Key of the only part of the object that an operation touches. Each part has its own state, initially `initial`. */
  partition?(operation: Operation): Value;
  /** Whether two states are the same; found out from their contents unless given, which takes plain data. */
  equal?(a: State, b: State): boolean;
  /** A number or text that equal states have in common; their contents unless given. */
  hash?(state: State): string | number;
  /** A state in words. */
  show?(state: State): string;
  /** Calls and their possible results, for `isolab test`: it uses no others. */
  readonly examples?: readonly OperationExample[];
}

/** A call and a possible result in some state; null where there is none. */
export type OperationExample = Pick<Operation, 'f'> & Partial<Pick<Operation, 'argument' | 'result'>>;

/** Returns the model that it is given, with the types for an editor. */
export const defineModel = <State>(model: SequentialModel<State>): SequentialModel<State> => model;

/** Requirement on a history: a total order of its operations that a model allows, and that keeps … */
export type OperationLevel =
  /** … the order of operations that returned before others were called, */
  | 'linearizable'
  /** … or the order of each process alone. */
  | 'sequential';

export const OPERATION_LEVELS: readonly OperationLevel[] = ['linearizable', 'sequential'];

/** Proof that the level holds: operations by their place in the history, in an order that the model allows. */
export interface OperationOrder {
  readonly kind: 'operation-order';
  readonly order: readonly number[];
}

/** Part without an order, found by steps that add no violation. Verifying it takes a search through all its orders. */
export interface PartCertificate {
  readonly kind: 'operation-part';
  /** Operations with their results. */
  readonly kept: readonly number[];
  /** Operations that may have happened or not, with any result: facts about them are not needed. */
  readonly relaxed: readonly number[];
  /** Time limit: later calls do not count, and later returns did not happen; null for the whole history. */
  readonly until: number | null;
}

export type OperationVerdict =
  | { readonly status: 'satisfied'; readonly certificate: OperationOrder }
  | {
      readonly status: 'violated';
      readonly certificate: PartCertificate | null;
      /** The longest order that was found, and the operation that could follow in none; −1 if there is no single one. */
      readonly longest: readonly number[];
      readonly stuck: number;
    }
  | {
      readonly status: 'unknown';
      readonly reason: 'timeout' | 'memory' | 'steps' | 'aborted' | 'crashed';
      readonly detail: string;
    };

/** Thrown if there is no such model, or if a model throws or breaks its interface. */
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
  if (!('initial' in model)) throw new ModelError(`${from}: found no initial state, expected initial`);
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

/** The states after an operation, in either form of the model. */
export function nextStates<State>(model: SequentialModel<State>, state: State, operation: Operation): readonly State[] {
  if (model.steps) return model.steps(state, operation);
  const next = model.step!(state, operation);
  return next === undefined ? [] : [next];
}
