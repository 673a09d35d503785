import { type ChildProcess, fork } from 'node:child_process';
import { peakResidentBytes, started } from 'isolab/skin';
import { type Checked, type Job, type Request, failure } from './protocol.ts';

export interface LimitsOfServer {
  readonly timeMs: number;
  readonly memoryBytes: number;
}

/** Place for one check at a time, in a process that is killed at the limits. The next check then starts a new process. */
export class Place {
  readonly #limits: LimitsOfServer;
  #child: ChildProcess | null = null;
  /** Answers the present request; null if there is none. */
  #answer: ((answer: string) => void) | null = null;
  #request: Request | null = null;
  #timers: NodeJS.Timeout[] = [];

  constructor(limits: LimitsOfServer) {
    this.#limits = limits;
  }

  get isBusy(): boolean {
    return this.#answer !== null;
  }

  check(request: Request): Promise<string> {
    this.#request = request;
    return new Promise((resolve) => {
      this.#answer = resolve;
      if (this.#child !== null) this.#send(this.#child, request);
      else {
        this.#child = this.#start();
        this.#timers = [
          setTimeout(() => this.end('crashed', 'the process of the check did not start'), START_LIMIT_MS),
        ];
      }
    });
  }

  #send(child: ChildProcess, request: Request): void {
    const { memoryBytes } = this.#limits;
    const timeMs = Math.min(request.timeMs ?? Number.POSITIVE_INFINITY, this.#limits.timeMs);
    const isTooLate = (): void => this.end('timeout', `the time limit of ${timeMs / 1000} s was reached`);
    const look = (): void => {
      if ((peakResidentBytes(child.pid) ?? 0) > memoryBytes)
        this.end('memory', `the memory limit of ${memoryBytes / 1e6} MB was reached`);
    };
    this.#timers = [setTimeout(isTooLate, Math.min(timeMs + GRACE_MS, LONGEST_MS)), setInterval(look, LOOK_EVERY_MS)];
    const job: Job = { request, timeMs, memoryBytes };
    child.send(job, () => {}); // an error means that the process has ended
  }

  /** Ends the process, and answers its request without a verdict. */
  end(reason: string, why: string): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
    this.#settle(failure(this.#request ?? {}, why, { reason }));
  }

  #start(): ChildProcess {
    const heap = Math.max(32, Math.ceil(this.#limits.memoryBytes / 2 ** 20));
    const url = new URL(
      import.meta.url.endsWith('.ts') ? '../../dist/serve/serve-main.js' : 'serve-main.js',
      import.meta.url,
    );
    const child = fork(url, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [`--max-old-space-size=${heap}`],
    });
    const gone = (how: string, reason: string): void => {
      if (this.#child === child) this.end(reason, `the process of the check ended: ${how}`);
    };
    started(child, (error) => gone(error.message, 'crashed'));
    child.on('exit', (code, signal) => gone(`${signal ?? code}`, signal === 'SIGABRT' ? 'memory' : 'crashed'));
    child.on('message', ({ answer, bytes }: Checked) => {
      if (this.#child !== child) return;
      this.#stopTimers();
      if (answer === null) {
        this.#send(child, this.#request!);
        return;
      }
      // The memory of a large history is not returned to the system.
      if (bytes > this.#limits.memoryBytes / 2) {
        this.#child = null;
        child.kill('SIGKILL');
      }
      this.#settle(answer);
    });
    return child;
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #settle(answer: string): void {
    this.#stopTimers();
    const tell = this.#answer;
    this.#answer = null;
    tell?.(answer);
  }
}

/** Time in which the process can itself report that its time is over. */
const GRACE_MS = 300;
const LOOK_EVERY_MS = 25;
const START_LIMIT_MS = 60_000;
/** Longest delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;
