import { ModelError, type SequentialModel } from './machine/model.ts';
import { fifoQueue, set, stack, unorderedQueue } from './models/collections.ts';
import { counter, mutex } from './models/counter.ts';
import { type RegisterOptions, casRegister, map, multiRegister, register } from './models/registers.ts';

/** Models by name, as in `--model`. */
export const MODELS: Readonly<Record<string, (options?: RegisterOptions) => SequentialModel>> = {
  register,
  'cas-register': casRegister,
  'multi-register': multiRegister,
  map,
  mutex,
  'fifo-queue': fifoQueue,
  'unordered-queue': unorderedQueue,
  stack,
  set,
  counter,
};

const ALIASES: Readonly<Record<string, string>> = { queue: 'fifo-queue' };

/** Returns a built-in model; null if there is none with this name. */
export function findModel(name: string, options: RegisterOptions = {}): SequentialModel | null {
  const known = ALIASES[name] ?? name;
  if (!Object.hasOwn(MODELS, known)) return null;
  if (options.initial !== undefined && !TAKE_INITIAL.includes(known))
    throw new ModelError(`${known} has a fixed initial state; found another initial state, expected none`);
  return MODELS[known](options);
}

const TAKE_INITIAL: readonly string[] = ['register', 'cas-register', 'multi-register', 'map'];
