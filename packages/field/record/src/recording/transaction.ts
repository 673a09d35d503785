import { keptText } from '../recorded/kept.ts';
import { lowBits } from '../recorded/xids.ts';
import type { Use } from '../sql/catalog.ts';
import type { Lock } from '../sql/locks.ts';
import type { Level } from '../sql/planned.ts';
import type { Sending } from './refusals.ts';

export type TransactionOutcome = 'committed' | 'aborted' | 'unknown';

/** A version of a row as JSON. It contains the writer's number, so versions of different writers always differ. */
export interface Version {
  /** The row in the notation of the recorded lines: `"accounts",1`. */
  readonly row: string;
  readonly version: string;
}

/** A version by another writer, with the writer's number. */
export interface Seen extends Version {
  readonly xmin: number;
}

/** A lock, held from a statement on. */
interface HeldLock {
  readonly step: number;
  readonly lock: Lock;
}

/** The lengths of the transaction's lists when the savepoint was set. */
interface Savepoint {
  readonly name: string;
  readonly operations: number;
  readonly steps: number;
  readonly seen: number;
  readonly writes: number;
  readonly locks: number;
}

export class Transaction {
  session: string;
  previous: Transaction | null;
  readonly begin: bigint;
  /** When the first statement that examined rows was answered: the transaction had its snapshot by then. */
  begun: bigint | null = null;
  #committing: bigint | null = null;
  level: Level;
  isExplicit = false;
  /** Whether a statement of the transaction was answered. */
  isAnswered = false;
  hasFailed = false;
  /** The code of the error that failed the transaction. */
  refusal: string | null = null;
  /** The transaction's first statement on rows. */
  first: Sending | null = null;
  isCommitting = false;
  /** Versions by other writers that the transaction saw; the file must contain their writers. */
  readonly seen: Seen[] = [];
  /** The versions that were written, by row; other transactions can see only the last version of each row. */
  readonly written = new Map<string, Set<string>>();
  readonly writes: Version[] = [];
  /** Whether the transaction may have made unseen writes. */
  mayHaveWrittenUnseen = false;
  /** The transaction's number, once a statement has shown it. */
  xid: string | null = null;
  /** The numbers that the transaction's versions have: its own number and the numbers of its subtransactions. */
  readonly xmins = new Set<number>();
  outcome: TransactionOutcome | null = null;
  end: bigint | null = null;
  /** Whether the file has the transaction's line. */
  isWritten = false;
  /** Whether that line leaves the outcome to a later line. */
  isOpen = false;
  readonly #operations: string[] = [];
  /** The number of the shape and the number of operations of each statement; 1 marks unseen writes. */
  readonly #steps: string[] = [];
  readonly #scans: { readonly step: number; readonly scan: string }[] = [];
  /** Statements with their parameters and results, if the recording keeps them. */
  readonly #sent: string[] = [];
  readonly #savepoints: Savepoint[] = [];
  readonly #locks: HeldLock[] = [];

  constructor(session: string, previous: Transaction | null, begin: bigint, level: Level) {
    this.session = session;
    this.previous = previous;
    this.begin = begin;
    this.level = level;
  }

  /** Notes that a statement was sent that may commit the transaction. Without BEGIN, any statement may. */
  mayCommitFrom(at: bigint): void {
    this.#committing ??= at < this.begin ? this.begin : at;
  }

  numbers(xid: string): void {
    this.xid ??= xid;
    this.xmins.add(lowBits(xid));
  }

  get isEmpty(): boolean {
    return this.#steps.length === 0 && this.#sent.length === 0;
  }

  /** Keeps a statement with its parameters and its result for a replay, if a replay needs it. */
  keep(...given: Parameters<typeof keptText>): void {
    const sent = keptText(...given);
    if (sent !== null) this.#sent.push(sent);
  }

  /**
   * Adds the reads and writes of a statement. `scan` is its information about rows that it did not return:
   * `"t",CONDITION`.
   */
  step(shape: number, operations: readonly string[], scan: string | null, mayWriteUnseen: boolean): void {
    if (scan !== null) this.#scans.push({ step: this.#steps.length, scan });
    for (const operation of operations) this.#operations.push(operation);
    this.#steps.push(`[${shape},${operations.length}${mayWriteUnseen ? ',1' : ''}]`);
  }

  locks(lock: Lock): void {
    this.#locks.push({ step: this.#steps.length, lock });
  }

  /** Forgets a lock, or all locks of the session, that the transaction returned before its end. */
  unlocks(returned: Lock | null): void {
    const at = this.#locks.findIndex(({ lock: [name, mode] }) => name === returned?.[0] && mode === returned[1]);
    if (returned === null) this.#locks.length = 0;
    else if (at >= 0) this.#locks.splice(at, 1);
  }

  write(row: string, version: string): void {
    this.writes.push({ row, version });
    const versions = this.written.get(row);
    if (versions) versions.add(version);
    else this.written.set(row, new Set([version]));
  }

  /** Returns whether the transaction has replaced this version since it was read. */
  hasReplaced(row: string, version: string): boolean {
    const versions = this.written.get(row);
    return versions !== undefined && versions.size > 0 && [...versions].at(-1) !== version;
  }

  /** How the transaction's next query is sent. */
  get use(): Use {
    if (this.xid !== null) return 'numbered query';
    return this.#savepoints.length > 0 || this.mayHaveWrittenUnseen ? 'query' : 'numbering query';
  }

  savepoint(name: string): void {
    this.#savepoints.push({
      name,
      operations: this.#operations.length,
      steps: this.#steps.length,
      seen: this.seen.length,
      writes: this.writes.length,
      locks: this.#locks.length,
    });
  }

  release(name: string): void {
    const place = this.#savepoints.findLastIndex((each) => each.name === name);
    if (place >= 0) this.#savepoints.length = place;
  }

  /**
   * Undoes all operations since the savepoint. Reads since then are dropped too, because some of the versions that they
   * saw no longer exist. Returns these versions.
   */
  rollbackTo(name: string): readonly Version[] {
    const place = this.#savepoints.findLastIndex((each) => each.name === name);
    if (place < 0) return [];
    const { operations, steps, seen, writes, locks } = this.#savepoints[place]!;
    this.#locks.length = Math.min(this.#locks.length, locks);
    this.#savepoints.length = place + 1;
    this.#operations.length = operations;
    this.#steps.length = steps;
    this.seen.length = seen;
    while (this.#scans.length > 0 && this.#scans.at(-1)!.step >= steps) this.#scans.pop();
    const gone = this.writes.splice(writes);
    for (const { row, version } of gone) this.written.get(row)?.delete(version);
    return gone;
  }

  line(newShapes: readonly (readonly [number, string])[]): string {
    const { outcome, begun, end } = this;
    const committing = this.isExplicit ? this.#committing : null;
    let line = `{"session":${JSON.stringify(this.session)}`;
    if (outcome !== 'committed') line += `,"status":"${outcome ?? 'unknown'}"`;
    line += `,"begin":${this.begin}`;
    if (begun !== null) line += `,"begun":${begun}`;
    if (committing !== null) line += `,"committing":${committing}`;
    if (end !== null && (outcome === 'committed' || outcome === 'aborted')) line += `,"end":${end}`;
    line += `,"ops":[${this.#operations.join()}],"level":"${this.level}","steps":[${this.#stepsInLine().join()}]`;
    if (this.xid !== null) line += `,"xids":[${[lowBits(this.xid), ...this.xmins].join()}]`;
    if (this.#scans.length > 0) line += `,"scans":[${this.#scans.map((s) => `[${s.step},${s.scan}]`).join()}]`;
    if (this.#sent.length > 0) line += `,"sent":[${this.#sent.join()}]`;
    if (newShapes.length > 0) line += `,"shapes":${JSON.stringify(newShapes)}`;
    return `${line}}\n`;
  }

  #stepsInLine(): readonly string[] {
    if (this.#locks.length === 0) return this.#steps;
    return this.#steps.map((text, i) => {
      const locks = this.#locks.filter(({ step }) => step === i).map(({ lock }) => lock);
      const [shape, operations, flag = 0] = JSON.parse(text) as number[];
      return locks.length === 0 ? text : JSON.stringify([shape, operations, flag, locks]);
    });
  }

  /** Frees the operations: the line is written, and only the outcome still matters. */
  forget(): void {
    this.#operations.length = this.#steps.length = this.#scans.length = this.seen.length = 0;
    this.#sent.length = 0;
    this.writes.length = 0;
    this.written.clear();
    this.previous = null;
  }
}
