import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LevelName } from '@isolab/contract';
import type { Random } from '@isolab/workloads';
import { type Source, WORDS, deliver, growFile, until, writeFile } from './deliver.ts';
import { END, changed, drawText, textOf } from './draw.ts';
import { FAILED, type Judge, SATISFIED, UNKNOWN, VIOLATED, worstOf } from './judge.ts';
import { type Lines, type Told, allLinesIn, following, isPrefix, isUsed, linesIn, numbered, toldIn } from './model.ts';
import type { Running, Workers } from './workers.ts';

/** Input of one run of `isolab watch`. */
interface Run {
  readonly text: string;
  /** Position in the text at which a new file begins after the first one was moved away; null for a single file. */
  readonly movedAt: number | null;
  readonly isResumed: boolean;
  readonly isKilled: boolean;
}

interface ScenarioOutcome {
  /** Null if the process was killed. */
  readonly code: number | null;
  /** Whether a sender's line was refused. */
  readonly isRefused: boolean;
}

/** Two runs of `isolab watch` in one folder; the first may be killed. */
export class Scenario {
  readonly kind: string;
  readonly #folder: string;
  readonly #random: Random;
  readonly #workers: Workers;
  readonly #judge: Judge;
  readonly #source: Source;
  readonly #isByStream: boolean;
  readonly #level: LevelName;
  readonly #isNamed: boolean;
  readonly #isKilled: boolean;
  readonly #isResumed: boolean;
  readonly #log: string[] = [];

  constructor(folder: string, random: Random, workers: Workers, judge: Judge) {
    this.#folder = folder;
    this.#random = random;
    this.#workers = workers;
    this.#judge = judge;
    this.#source = random.pick(['file', 'standard input', 'tcp', 'http']);
    this.#isByStream = random.chance(0.35);
    this.#level = random.pick(['serializable', 'snapshot-isolation', 'causal']);
    this.#isNamed = random.chance(0.25);
    this.#isKilled = random.chance(0.35);
    this.#isResumed = random.chance(0.5);
    const words = [this.#isByStream && 'by stream', this.#isKilled && 'killed', this.#isResumed && 'resumed'];
    this.kind = [this.#source, ...words.filter(Boolean)].join(', ');
  }

  /** Steps of the scenario, to repeat it by hand. */
  get told(): string {
    return this.#log.join('\n');
  }

  /** Finds a problem with the scenario; null if there is none. */
  async run(): Promise<string | null> {
    const whole = drawText(this.#random, this.#isByStream, 1);
    const text = this.#random.chance(0.5) ? whole : this.#beginning(whole);
    const first: Run = { text, movedAt: null, isResumed: this.#random.chance(0.2), isKilled: this.#isKilled };
    return (await this.#watch(first)) ?? this.#watch(this.#second(whole, text));
  }

  get #isFile(): boolean {
    return this.#source === 'file';
  }

  /** The beginning of a text; a source without senders may end in the middle of a line. */
  #beginning(text: string): string {
    const at = 1 + this.#random.below(text.length);
    const mayCut = !this.#isByStream && (this.#isFile || this.#source === 'standard input');
    return text.slice(0, mayCut && this.#random.chance(0.5) ? at : text.indexOf('\n', at - 1) + 1);
  }

  #second(whole: string, first: string): Run {
    const random = this.#random;
    const run = { movedAt: null, isResumed: this.#isResumed, isKilled: false };
    const other = drawText(random, this.#isByStream, 4);
    if (!this.#isFile) {
      const lines = first.split('\n');
      const rest = lines.slice(1 + random.below(lines.length)).join('\n');
      const behind = this.#isByStream ? `${lines[0]}\n${rest}` : rest;
      return { ...run, text: random.pick([other, other, first, whole, behind]) };
    }
    const isLogged = this.#logs(this.#chosen(run)).size > 0;
    const mayMove = !this.#isByStream && isLogged && first.endsWith('\n') && first !== whole;
    if (mayMove && random.chance(0.4)) return { ...run, text: whole, movedAt: first.length };
    const more = textOf(other.split('\n').slice(1, -1));
    return {
      ...run,
      text: random.pick([first, whole, whole, other, whole + more, changed(whole, random), this.#beginning(first)]),
    };
  }

  /** Runs the command, and checks its exit code and all stored lines. */
  async #watch(run: Run): Promise<string | null> {
    const folder = this.#chosen(run);
    const before = this.#logs(folder);
    const wasUsed = isUsed(join(this.#folder, folder));
    const others = JSON.stringify(allLinesIn(this.#folder, folder));
    const told = toldIn(run.text, this.#isByStream);
    const outcome = await this.#delivered(run, folder, before, told);
    this.#log.push(`  ${folder}: ${outcome.code ?? 'killed'}${outcome.isRefused ? ', refused' : ''}`);
    const after = this.#logs(folder);
    if (JSON.stringify(allLinesIn(this.#folder, folder)) !== others)
      return `the lines of the folder beside ${folder} have changed`;
    if (!this.#isFile && wasUsed && (!run.isResumed || this.#hasEnded(before))) {
      if (JSON.stringify([...after]) !== JSON.stringify([...before])) return `the lines of ${folder} have changed`;
      return outcome.code === FAILED
        ? null
        : `exit code ${outcome.code}, expected ${FAILED}: the folder belongs to another stream`;
    }
    return this.#problem(run, told, { before, after }, outcome);
  }

  async #problem(
    run: Run,
    told: Told,
    { before, after }: { readonly before: Lines; readonly after: Lines },
    { code, isRefused }: ScenarioOutcome,
  ): Promise<string | null> {
    const { lines, failed } = following(before, told, this.#isFile);
    const isExact = code !== null && !isRefused && !told.isBehindAll;
    for (const stream of new Set([...before.keys(), ...lines.keys(), ...after.keys()])) {
      const [had, has, expected] = [before, after, lines].map((each) => each.get(stream) ?? []) as [
        string[],
        string[],
        string[],
      ];
      const isRight = isExact && !failed.has(stream) ? has.length === expected.length : has.length >= had.length;
      if (!isRight || !isPrefix(has, expected.length < had.length ? had : expected))
        return `stream ${JSON.stringify(stream)} has the lines\n${has.join('\n')}\nexpected\n${expected.join('\n')}`;
    }
    if (code === null) return null;
    const codes = await this.#codes(run, told, { before, after, failed });
    return codes.includes(code) ? null : `exit code ${code}, expected ${codes.join(' or ')}`;
  }

  /** Correct exit codes, from the verdict of `isolab check` on the stored lines. */
  async #codes(
    { isResumed }: Run,
    told: Told,
    { before, after, failed }: Record<'before' | 'after', Lines> & { readonly failed: ReadonlySet<string> },
  ): Promise<number[]> {
    const hasSenders = this.#source === 'tcp' || this.#source === 'http';
    // It is unknown whether a killed run has recorded the end of a stream.
    const mayBeLeft = (lines: readonly string[]): boolean => lines.at(-1) !== END || this.#isKilled;
    const left = isResumed && !this.#isFile ? [...before].filter(([, lines]) => mayBeLeft(lines)) : [];
    // Lines for an ended stream are refused without any further output.
    const sent = [...told.lines.keys()].filter((stream) => !hasSenders || mayBeLeft(before.get(stream) ?? []));
    const streams = new Set([...left.map(([stream]) => stream), ...sent]);
    const parts: number[][] = [];
    for (const stream of streams) {
      const lines = after.get(stream) ?? [];
      const isPromised = [lines[0], told.lines.get(stream)?.[0]].some((header) => header?.includes('"collected"'));
      const codes = await this.#judge.codes(lines, this.#level, !hasSenders && !told.hasHalf && !isPromised);
      if (hasSenders || !failed.has(stream)) {
        const isPerhapsOver = before.get(stream)?.at(-1) === END && (hasSenders || !told.lines.has(stream));
        if (lines.length > 0 || !this.#isByStream) parts.push(isPerhapsOver ? [...codes, SATISFIED, UNKNOWN] : codes);
        continue;
      }
      // A violation is recorded before the failure, unless it is in another file.
      const isOfOther = this.#isFile && !told.behindEnd.has(stream);
      parts.push(codes.includes(VIOLATED) && !isOfOther ? [FAILED, VIOLATED] : [FAILED]);
    }
    if (parts.length === 0 && !this.#isByStream) return this.#judge.codes([], this.#level, false);
    // A killed run may have recorded a stream without any of its lines.
    const isUnsure = isResumed && [...before.values()].some(({ length }) => length === 0);
    const codes = [...worstOf(parts), ...(isUnsure ? worstOf([...parts, [UNKNOWN]]) : [])];
    // An error that ends all streams occurs before their verdicts are printed.
    if (!told.isBehindAll || !this.#isByStream || hasSenders) return codes;
    return codes.includes(VIOLATED) ? [FAILED, VIOLATED] : [FAILED];
  }

  /** Folder that the run must use. */
  #chosen({ isResumed }: Pick<Run, 'isResumed'>): string {
    if (this.#isNamed) return 'kept';
    if (this.#isFile) return `${WORDS.file}.watch`;
    let number = 1;
    while (isUsed(join(this.#folder, numbered(number)))) number++;
    if (!isResumed || number === 1) return numbered(number);
    return this.#hasEnded(this.#logs(numbered(number - 1))) ? numbered(number) : numbered(number - 1);
  }

  /** Returns whether the only stream has ended; several streams may continue. */
  #hasEnded = (lines: Lines): boolean => !this.#isByStream && lines.get('')?.at(-1) === END;

  #logs(folder: string): Lines {
    const path = join(this.#folder, folder);
    return existsSync(path) ? linesIn(path, this.#isByStream) : new Map();
  }

  async #delivered(run: Run, folder: string, before: Lines, told: Told): Promise<ScenarioOutcome> {
    const random = this.#random;
    const hasEnd = run.text.endsWith(`${END}\n`);
    const asked = ['--level', this.#level, '--values', 'repeated', '--batch', random.pick(['1', '40000'])];
    const words = [
      'watch',
      WORDS[this.#source],
      ...asked,
      ...(this.#isNamed ? ['--out', 'kept'] : []),
      ...(this.#isByStream ? ['--by-stream'] : []),
      ...(run.isResumed ? ['--resume'] : []),
      ...(this.#isFile && !run.isKilled && !(hasEnd && random.chance(0.5)) ? ['--until', 'end'] : []),
    ];
    this.#log.push(`${words.join(' ')}${run.movedAt === null ? '' : `, moved at ${run.movedAt}`}:\n${run.text}`);
    if (this.#isFile && !run.isKilled) writeFile(this.#folder, run.text, run.movedAt);
    const running = await this.#workers.run(words, this.#folder, this.#source === 'standard input');
    const expected = following(before, told, this.#isFile).lines;
    const isTaken = (): boolean =>
      [...expected].every(([s, lines]) => (this.#logs(folder).get(s)?.length ?? 0) >= lines.length);
    const delivery = { text: run.text, random, isTaken };
    const killing = run.isKilled ? this.#killed(running, folder) : null;
    const isRefused =
      this.#source === 'file'
        ? await (run.isKilled ? growFile(this.#folder, delivery) : Promise.resolve(false))
        : await deliver(running, { ...delivery, source: this.#source });
    await killing;
    const code = await running.code;
    this.#log.push(...running.notes.map((note) => `  ${note}`));
    return { code, isRefused };
  }

  /** Kills the process at a random time, usually after it has stored data. */
  async #killed(running: Running, folder: string): Promise<void> {
    const kept = ['log', 'streams'].map((name) => join(this.#folder, folder, name));
    if (this.#random.chance(0.8)) await until(() => kept.some((path) => existsSync(path)));
    await sleep(this.#random.below(this.#random.pick([10, 100, 600])));
    running.kill();
  }
}
