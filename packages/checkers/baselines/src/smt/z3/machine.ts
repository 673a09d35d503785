/**
 * A single z3-solver instance for all checks: Z3 5.1 in WebAssembly, with threads, loaded at first use. It is discarded
 * when it aborts (usually because its heap of 2 GB is full) or no longer responds; the next check loads a new instance.
 * Limits of the package: it accepts one call at a time, and throws otherwise. Strings pass through its small stack, so
 * texts are copied to its heap here. Its threads keep a process from ending. An uncaught error in a thread ends the
 * process.
 */
export interface Machine {
  /** Returns the answers to commands in the SMT-LIB language. Rejects with Broken after an abort. */
  evaluate(context: number, text: string): Promise<string>;
  makeContext(): number;
  deleteContext(context: number): void;
  /** Makes the current call answer `unknown` soon. */
  interrupt(context: number): void;
  /** Ends its threads, and the current call. */
  giveUp(why: string): void;
  readonly isBroken: boolean;
}

export class Broken extends Error {
  override readonly name = 'Broken';
}

interface Thread {
  unref?(): void;
  onerror: (event: { readonly message?: string }) => void;
}

const ALLOCATE = '_malloc';
const RELEASE = '_free';
const EVALUATE = '_async_Z3_eval_smtlib2_string';

interface Module {
  readonly HEAPU32: Uint32Array;
  readonly PThread: {
    readonly unusedWorkers: Thread[];
    readonly runningWorkers: Thread[];
    terminateAllThreads(): void;
  };
  readonly [ALLOCATE]: (bytes: number) => number;
  readonly [RELEASE]: (address: number) => void;
  readonly [EVALUATE]: (context: number, text: number) => void;
  async_call(call: () => void): Promise<string>;
}

let loaded: Promise<Machine> | null = null;

export async function theMachine(): Promise<Machine> {
  if (loaded !== null && (await loaded).isBroken) loaded = null;
  loaded ??= load();
  loaded.catch(() => (loaded = null));
  return loaded;
}

async function load(): Promise<Machine> {
  let broken: Broken | null = null;
  let reject: (error: Broken) => void = () => {};
  const fail = (why: string): void => {
    broken ??= new Broken(why);
    reject(broken);
  };
  const { init } = await import('z3-solver');
  const { Z3, em } = await init({ print: () => {}, printErr: () => {}, onAbort: (why: unknown) => fail(String(why)) });
  const module = em as Module;
  const { PThread } = module;
  const tame = (): void => {
    for (const thread of [...PThread.unusedWorkers, ...PThread.runningWorkers]) {
      thread.unref?.();
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the module calls what stands here, and its own throws
      thread.onerror = ({ message = 'a thread failed' }) => fail(message);
    }
  };
  // The types of the package brand the numbers that represent pointers.
  type Context = ReturnType<typeof Z3.mk_context>;
  return {
    get isBroken() {
      return broken !== null;
    },
    makeContext() {
      const config = Z3.mk_config();
      const context = Z3.mk_context(config);
      Z3.del_config(config);
      return context as unknown as number;
    },
    deleteContext(context) {
      if (broken === null) Z3.del_context(context as unknown as Context);
    },
    interrupt: (context) => Z3.interrupt(context as unknown as Context),
    giveUp(why) {
      fail(why);
      PThread.terminateAllThreads();
    },
    evaluate(context, text) {
      if (broken !== null) return Promise.reject(broken);
      const address = putText(module, text);
      if (address === 0) return Promise.reject(new Broken('the heap has no room for the text'));
      const answer = new Promise<string>((resolve, fails) => {
        reject = fails;
        withoutTimers(() => module.async_call(() => module[EVALUATE](context, address))).then(resolve, fails);
        tame();
      });
      return answer.finally(() => {
        reject = () => {};
        tame();
        if (broken === null) module[RELEASE](address);
        else PThread.terminateAllThreads();
      });
    },
  };
}

/** The package's calls leave a timer of ten minutes when they abort, which would delay the end of the process. */
function withoutTimers<Result>(call: () => Result): Result {
  const host = globalThis as unknown as { setTimeout: (...args: readonly unknown[]) => { unref?(): void } };
  const { setTimeout } = host;
  host.setTimeout = (...args) => {
    const timer = setTimeout(...args);
    timer.unref?.();
    return timer;
  };
  try {
    return call();
  } finally {
    host.setTimeout = setTimeout;
  }
}

/** Copies an ASCII text to the heap, ended by a zero byte, and returns its address. */
function putText(module: Module, text: string): number {
  const address = module[ALLOCATE](text.length + 1);
  if (address === 0) return 0;
  const bytes = new Uint8Array(module.HEAPU32.buffer, address, text.length + 1);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  bytes[text.length] = 0;
  return address;
}
