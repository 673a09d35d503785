import { type HistoryBuilder, type History, withoutTimes } from '@isolab/history';
import { unexpected } from '../files/errors.ts';
import type { Header } from './isolab-header.ts';
import { type Recorded, withRecorded } from '../format/recorded.ts';

/**
 * Checks the files of one history, one per process: their statements must agree, and each session belongs to one file.
 */
export class SeveralFiles {
  readonly #builder: HistoryBuilder;
  readonly #files: { readonly name: string; readonly header: Header; readonly recorded: Recorded }[] = [];
  readonly #fileOf: string[] = [];
  readonly #initial = new Map<number, { readonly value: number; readonly file: string }>();

  constructor(builder: HistoryBuilder) {
    this.#builder = builder;
  }

  add(name: string, header: Header): void {
    const { recorded } = header;
    const refuse = (found: string, expected: string): never => {
      throw unexpected(name, 'line 1', found, expected);
    };
    if (recorded === null) return refuse('a header without "recorded"', 'a recording, like the other files');
    if (header.source || header.hasInitialTransaction)
      refuse('"source" or "initialTransaction"', 'neither field in a history of several files');
    const [first] = this.#files;
    if (first !== undefined) {
      const { values } = this.#builder;
      if (values.atom(first.header.initial) !== values.atom(header.initial))
        refuse('another "initial"', `that of ${first.name}`);
      if (first.header.times !== header.times) refuse('another "times"', `that of ${first.name}`);
      if (first.header.database !== header.database) refuse('another "database"', `that of ${first.name}`);
      if (first.recorded.redacted !== recorded.redacted) refuse('another "redacted"', `that of ${first.name}`);
    }
    this.#files.push({ name, header, recorded });
    for (const [key, value] of header.initialOf)
      if (!this.initially(this.#builder.keys.atom(key), this.#builder.values.atom(value), name))
        refuse('a different initial state of a key', 'the initial state of the other file');
  }

  /** Returns whether a key may have this initial state, because no file has stated another. */
  initially(key: number, value: number, file: string): boolean {
    const known = this.#initial.get(key);
    if (known === undefined) this.#initial.set(key, { value, file });
    return known === undefined || known.value === value || known.file === file;
  }

  /** Returns the file that already has a session, if it is another file. */
  otherFileOf(session: number, file: string): string | null {
    const known = (this.#fileOf[session] ??= file);
    this.#builder.sessionFile(session, known);
    return known === file ? null : known;
  }

  /** Leaves out the times if the clocks differ, because they cannot be compared. */
  finish(history: History): History {
    const [first] = this.#files;
    const { clock, ...recorded } = first!.recorded;
    const hasOneClock = clock !== undefined && this.#files.every((file) => file.recorded.clock === clock);
    if (hasOneClock || this.#files.length === 1) return withRecorded(history, first!.recorded);
    const { source } = history;
    const noted = { ...source, notes: { ...source.notes, filesWithoutACommonClock: this.#files.length } };
    return withRecorded(withoutTimes({ ...history, source: noted }), recorded);
  }
}
