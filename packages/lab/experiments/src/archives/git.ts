/** Runs git, and reads many objects with one process. */
import { started } from '@isolab/history';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { BenchError } from '../experiment/errors.ts';

export interface GitCall {
  readonly input?: string;
  readonly signal?: AbortSignal;
  /** Folder of another clone, whose objects are also available. */
  readonly objectsOf?: string;
}

/** No password prompts, and no waiting for a silent server. */
const ENVIRONMENT = { GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
const SETTINGS = ['-c', 'http.lowSpeedLimit=1000', '-c', 'http.lowSpeedTime=60', '-c', 'gc.auto=0'];

/** Returns the output of a git command. Throws the last error message of git. */
export async function git(folder: string, words: readonly string[], call: GitCall = {}): Promise<string> {
  const child = start(folder, words, call);
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => {}); // the exit code is more informative
  child.stdin.end(call.input ?? '');
  const code = await ended(child);
  if (code !== 0) throw new BenchError(complaintIn(Buffer.concat(err).toString(), words));
  return Buffer.concat(out).toString();
}

/** Reads the content of blobs by the names that `git cat-file` accepts. */
export class BlobReader {
  readonly #child: Child;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #end: Promise<number | null>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(folder: string, call: GitCall) {
    this.#child = start(folder, ['cat-file', '--batch'], call);
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.resume();
    this.#end = ended(this.#child);
    this.#end.catch(() => {});
    this.#chunks = this.#child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Returns null if the repository lacks the blob. */
  async read(name: string): Promise<Buffer | null> {
    this.#child.stdin.write(`${name}\n`);
    const [, kind, size] = (await this.#line()).split(' ');
    if (kind !== 'blob') {
      if (size !== undefined && kind !== 'missing') await this.#take(Number(size) + 1);
      return null;
    }
    return (await this.#take(Number(size) + 1)).subarray(0, -1);
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    this.#child.stdout.resume();
    await this.#end.catch(() => {});
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf('\n');
      if (end >= 0) return (await this.#take(end + 1)).toString('utf8', 0, end);
      this.#rest = Buffer.concat([this.#rest, await this.#next()]);
    }
  }

  async #take(bytes: number): Promise<Buffer> {
    const parts = [this.#rest];
    let has = this.#rest.length;
    while (has < bytes) {
      const chunk = await this.#next();
      parts.push(chunk);
      has += chunk.length;
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = all.subarray(bytes);
    return all.subarray(0, bytes);
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next();
    if (done !== true) return value;
    await this.#end;
    throw new BenchError('git cat-file ended before it answered.');
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function start(folder: string, words: readonly string[], { signal, objectsOf }: GitCall): Child {
  const others =
    objectsOf === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(objectsOf, 'objects')) };
  const child = spawn('git', ['--git-dir', folder, ...SETTINGS, ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...ENVIRONMENT, ...others },
    ...(signal && { signal }),
  });
  return started(child, () => {}); // ended() handles this event too
}

/** Waits for the exit code, also after an interruption, so that git's locks are free again. */
async function ended(child: Child): Promise<number | null> {
  let failure: NodeJS.ErrnoException | null = null as NodeJS.ErrnoException | null;
  child.once('error', (error) => (failure = error));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (failure === null) return code;
  if (failure.code === 'ENOENT') throw new BenchError('git is not on the PATH; install git 2.29 or later.');
  throw new BenchError(failure.name === 'AbortError' ? 'interrupted' : `git did not start: ${failure.message}`);
}

/** Returns the line with `fatal:` or `error:`; the lines after it are advice. */
function complaintIn(text: string, words: readonly string[]): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const complaint = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines.at(-1);
  return complaint ?? `git ${words.find((word) => /^[a-z]+-?[a-z]*$/.test(word)) ?? ''} failed without a message`;
}
