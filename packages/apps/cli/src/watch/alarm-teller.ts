import { visibleLine } from 'isolab/skin';
import type { Alarm } from '@isolab/watch';
import { ExitCode } from '../terminal/exit.ts';
import type { Printer } from '../terminal/print.ts';
import { type WatchFlags, alarmLine } from './watching.ts';

/** Reports alarms as soon as they occur: in the output, on record, and to a web hook. */
export class AlarmTeller {
  readonly #flags: Pick<WatchFlags, 'output' | 'hook'>;
  readonly #printer: Printer;
  readonly #post: (address: string, alarm: Alarm) => Promise<void>;
  readonly #onTold: () => void;
  readonly #posts: Promise<void>[] = [];

  constructor(
    flags: Pick<WatchFlags, 'output' | 'hook'>,
    printer: Printer,
    post: (address: string, alarm: Alarm) => Promise<void>,
    onTold: () => void,
  ) {
    this.#flags = flags;
    this.#printer = printer;
    this.#post = post;
    this.#onTold = onTold;
  }

  tell(alarm: Alarm, stream: string | null = null): void {
    const { output, hook } = this.#flags;
    this.#printer.judged(ExitCode.Violated);
    const told = stream === null ? alarm : { stream, ...alarm };
    if (output === 'jsonl') this.#printer.out(JSON.stringify({ alarm: told }));
    else this.#printer.note(visibleLine(alarmLine(alarm, stream)));
    this.#onTold();
    if (hook === undefined) return;
    const failed = (error: unknown): void => this.#printer.note(visibleLine((error as Error).message));
    this.#posts.push(this.#post(hook, told).catch(failed));
  }

  /** Waits until the hook has received all alarms, or has failed. */
  async posted(): Promise<void> {
    await Promise.all(this.#posts);
  }
}
