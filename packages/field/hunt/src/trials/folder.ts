/** The folder of a hunt: its settings, one line per trial, the history that is being collected, and its findings. */
import { CollectorError, lock } from '@isolab/collector';
import { PRIVATE, writeFileTo } from '@isolab/formats';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import type { HuntSettings, TrialRecord } from './options.ts';
import type { Draw } from '../draws/space.ts';
import type { Membership } from './shared.ts';

export function readSettings(folder: string): HuntSettings {
  const read = JSON.parse(readFileSync(join(folder, SETTINGS), 'utf8')) as HuntSettings & { isolab?: string };
  if (read.isolab !== 'hunt')
    throw new CollectorError(`${join(folder, SETTINGS)} does not belong to a hunt: expected {"isolab":"hunt",…}.`);
  return { ...LATER_SETTINGS, ...read };
}

/** A trial whose history was not judged before the hunt ended. */
export interface Pending {
  readonly trial: number;
  readonly seed: string;
  readonly draw: Draw;
  /** The database's name of the level. */
  readonly isolation: string;
}

export class HuntFolder {
  readonly path: string;
  readonly #unlock: () => void;
  /** Whether this hunt created the folder. */
  #isMade = false;

  private constructor(path: string) {
    this.path = path;
    const held = lock(join(path, SETTINGS));
    this.#unlock = () => held.release();
  }

  /** Uses an empty folder, or creates the folder. */
  static async begin(path: string, settings: HuntSettings): Promise<HuntFolder> {
    const made = mkdirSync(path, { recursive: true });
    if (existsSync(join(path, SETTINGS)))
      throw new CollectorError(`${path} holds a hunt already; --resume ${path} continues it.`);
    if (readdirSync(path).length > 0)
      throw new CollectorError(`${path} is not empty; name an empty folder or a new one.`);
    const folder = new HuntFolder(path);
    folder.#isMade = made !== undefined;
    await folder.#write(SETTINGS, { isolab: 'hunt', version: 1, ...settings });
    return folder;
  }

  static resume(path: string): HuntFolder {
    if (!existsSync(join(path, SETTINGS))) throw new CollectorError(`${path} holds no hunt: it has no ${SETTINGS}.`);
    return new HuntFolder(path);
  }

  get settings(): HuntSettings {
    return readSettings(this.path);
  }

  /** Returns the judged trials, and cuts off an incomplete last line. */
  records(): TrialRecord[] {
    const path = join(this.path, LOG);
    if (!existsSync(path)) return [];
    const bytes = readFileSync(path);
    const whole = bytes.lastIndexOf('\n') + 1;
    if (whole < bytes.length) truncateSync(path, whole);
    const lines = bytes.toString('utf8', 0, whole).split('\n').slice(0, -1);
    return lines.map((line) => withLayout(JSON.parse(line) as TrialRecord));
  }

  /** Adds a judged trial to the log, and keeps its history only if it has no verdict. */
  add(record: TrialRecord): void {
    appendFileSync(join(this.path, LOG), `${JSON.stringify(record)}\n`, { mode: PRIVATE });
    const history = this.historyOf(record.trial);
    if (record.verdict === 'unknown' && existsSync(history))
      renameSync(history, join(this.path, `undecided-${record.trial}.jsonl`));
    this.forget(record.trial);
  }

  historyOf(trial: number): string {
    return join(this.path, `trial-${trial}.jsonl`);
  }

  /** Records the collection that is about to start, so that a resumed hunt finds its remains. */
  async expect(pending: Pending): Promise<void> {
    await this.#write(`trial-${pending.trial}.json`, pending);
  }

  /** Returns trials that were collected completely or partly, but not judged. */
  pending(): Pending[] {
    const names = readdirSync(this.path).filter((name) => /^trial-\d+\.json$/.test(name));
    return names
      .map((name) => withLayout(JSON.parse(readFileSync(join(this.path, name), 'utf8')) as Pending))
      .toSorted((a, b) => a.trial - b.trial);
  }

  /** Deletes the files of a pending trial. */
  forget(trial: number): void {
    rmSync(this.historyOf(trial), { force: true });
    rmSync(join(this.path, `trial-${trial}.json`), { force: true });
  }

  /** Removes the folder of a hunt that failed before it collected anything. */
  discardIfEmpty(): void {
    const pending = this.pending();
    if (existsSync(join(this.path, LOG)) || pending.some(({ trial }) => existsSync(this.historyOf(trial)))) return;
    for (const { trial } of pending) this.forget(trial);
    rmSync(join(this.path, SETTINGS));
    rmSync(join(this.path, MEMBERSHIP), { force: true });
    if (this.#isMade) rmSync(this.path, { recursive: true });
  }

  /** This machine's place in a shared hunt; null if it hunts alone. */
  get membership(): Membership | null {
    const path = join(this.path, MEMBERSHIP);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Membership) : null;
  }

  async join(membership: Membership): Promise<void> {
    await this.#write(MEMBERSHIP, membership);
  }

  async summarise(summary: object): Promise<void> {
    await this.#write(SUMMARY, summary);
  }

  close(): void {
    this.#unlock();
  }

  async #write(name: string, content: object): Promise<void> {
    await writeFileTo(join(this.path, name), `${JSON.stringify(content, null, 2)}\n`, { isDurable: false });
  }
}

/** Defaults for settings that folders of earlier releases lack. */
const LATER_SETTINGS: Pick<HuntSettings, 'layout' | 'faults' | 'shard'> = { layout: null, faults: null, shard: null };

/** Folders of earlier releases lack the layout. */
const withLayout = <Drawn extends { readonly draw: Draw }>(read: Drawn): Drawn => ({
  ...read,
  draw: { ...read.draw, layout: (read.draw as Partial<Draw>).layout ?? null },
});

const SETTINGS = 'hunt.json';
const LOG = 'trials.jsonl';
const SUMMARY = 'summary.json';
const MEMBERSHIP = 'queue.json';
