import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify, stripVTControlCharacters } from 'node:util';
import { type Engine, nameOf } from '../engine/engine.ts';
import { EngineError } from '../engine/errors.ts';
import { Interrupted } from '../engine/time.ts';

export interface Running {
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Receives each line of standard error. */
  readonly say?: ((line: string) => void) | undefined;
  /** Pattern of the output line that contains the error. */
  readonly error?: RegExp;
}

/**
 * Runs a program to its end and returns its output. The error names the missing program or quotes the program's error
 * message.
 */
export async function run(
  engine: Engine,
  command: readonly string[],
  { cwd, signal, env, say, error: pattern = /^.*(?:ERROR|rror:|ERR!).*$/m }: Running,
): Promise<string> {
  const [program = '', ...options] = command;
  try {
    const limits = { timeout: FETCH_MS, maxBuffer: MOST_SAID_BYTES };
    const running = promisify(execFile)(program, options, {
      cwd,
      ...limits,
      ...(env && { env }),
      ...(signal && { signal }),
    });
    if (say && running.child.stderr)
      createInterface({ input: running.child.stderr }).on('line', (line) => {
        const said = stripVTControlCharacters(line);
        if (said.trim() !== '') say(said);
      });
    return (await running).stdout;
  } catch (error) {
    if (signal?.aborted) throw new Interrupted();
    const failure = error as NodeJS.ErrnoException & { stdout?: string; stderr?: string };
    if (failure.code === 'ENOENT')
      throw new EngineError(
        `Fetching ${nameOf(engine)} needs ${engine.needs.join(', ')}, but ${program} is not on the PATH. ${INSTALL[program] ?? 'Install it.'}`,
        { cause: error },
      );
    const { stdout = '', stderr = '', message } = failure;
    const said = pattern.exec(`${stderr}\n${stdout}`)?.[0] ?? message.trim().split('\n').at(-1);
    throw new EngineError(`${nameOf(engine)} cannot be fetched: ${program} failed: ${said}`, { cause: error });
  }
}

const FETCH_MS = 1_200_000;
const MOST_SAID_BYTES = 64e6;

const INSTALL: Readonly<Record<string, string>> = {
  cargo: 'Install Rust (https://rustup.rs).',
  go: 'Install Go (https://go.dev/doc/install).',
  java: 'Install it (Debian: apt-get install default-jdk-headless).',
  javac: 'Install it (Debian: apt-get install default-jdk-headless).',
  mvn: 'Install it (Debian: apt-get install maven).',
  tar: 'Install it (Debian: apt-get install tar).',
  xz: 'Install it (Debian: apt-get install xz-utils).',
};
