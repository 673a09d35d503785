/**
 * The JSON-lines protocol by which any program can take part in a figure. The program is started once per cell and gets
 * one line, a request, on standard input. It prints one object per line: any number with `progress`, then one with
 * `verdict`. It ends with exit code 0. Any other behaviour means that there is no verdict.
 */
import { visibleLine } from '@isolab/history';

export interface WrapperRequest {
  readonly history: string;
  readonly format: string;
  /** The program's own name for the level, from its entry in tools.json. */
  readonly level: string;
}

export interface WrapperAnswer {
  readonly verdict: 'satisfied' | 'violated' | 'unknown';
  readonly reason?: string;
  /** Time from opening the history to the verdict. */
  readonly seconds?: number;
  /** Seconds by stage, in drawing order. */
  readonly stages?: Readonly<Record<string, number>>;
  /** Peak memory, for programs whose memory cannot be measured from outside, such as a container. */
  readonly peakBytes?: number;
}

export interface WrapperProgress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

export const requestLine = (request: WrapperRequest): string => `${JSON.stringify(request)}\n`;

/** Reads the output of a wrapper. The first error is final. */
export class WrapperReader {
  #rest = '';
  #lines = 0;
  #answer: WrapperAnswer | null = null;
  #problem: string | null = null;
  readonly #onProgress: (progress: WrapperProgress) => void;

  constructor(onProgress: (progress: WrapperProgress) => void = () => {}) {
    this.#onProgress = onProgress;
  }

  get problem(): string | null {
    return this.#problem;
  }

  get answer(): WrapperAnswer | null {
    return this.#problem === null ? this.#answer : null;
  }

  /** Returns false when further output is irrelevant. */
  take(chunk: string): boolean {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#read(line);
    if (this.#rest.length > LONGEST_LINE)
      this.#problem ??= `line ${this.#lines + 1} is longer than ${LONGEST_LINE} characters`;
    return this.#problem === null;
  }

  /** The last line may lack its line break. */
  end(): void {
    if (this.#rest.trim() !== '') this.#read(this.#rest);
    this.#rest = '';
  }

  #read(line: string): void {
    this.#lines++;
    if (this.#problem !== null) return;
    try {
      this.#understand(line);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#problem = `line ${this.#lines} ${error.message}: ${visibleLine(line.slice(0, SHOWN))}`;
    }
  }

  #understand(line: string): void {
    if (this.#answer !== null) throw new Refusal('follows the verdict, which must come last');
    const data = objectIn(line);
    if (Object.hasOwn(data, 'progress')) this.#onProgress(progressIn(data));
    else if (Object.hasOwn(data, 'verdict')) this.#answer = answerIn(data, line);
    else throw new Refusal('has neither "progress" nor "verdict"');
  }
}

class Refusal extends Error {}

const LONGEST_LINE = 100_000;
const SHOWN = 120;

type Fields = Readonly<Record<string, unknown>>;

const isObject = (data: unknown): data is Fields => typeof data === 'object' && data !== null && !Array.isArray(data);

function objectIn(line: string): Fields {
  let data: unknown;
  try {
    data = JSON.parse(line);
  } catch {
    data = null;
  }
  if (!isObject(data)) throw new Refusal('is not a JSON object');
  return data;
}

function insistOn(data: Fields, known: readonly string[]): void {
  const other = Object.keys(data).find((name) => !known.includes(name));
  if (other !== undefined) throw new Refusal(`has "${other}", expected only ${known.join(', ')}`);
}

function progressIn(data: Fields): WrapperProgress {
  insistOn(data, ['progress']);
  const { progress } = data;
  if (!isObject(progress))
    throw new Refusal('has "progress" that is not an object with stage, and optionally done and total');
  insistOn(progress, ['stage', 'done', 'total']);
  const { stage, done = 0, total = 0 } = progress;
  if (typeof stage !== 'string') throw new Refusal('has "progress" without a stage');
  return { stage: visibleLine(stage), done: amountIn('done', done), total: amountIn('total', total) };
}

function answerIn(data: Fields, line: string): WrapperAnswer {
  insistOn(data, ['verdict', 'reason', 'seconds', 'stages', 'peakBytes']);
  // JSON.parse keeps only the last of several fields with one name.
  if (line.split(/"verdict"\s*:/).length > 2) throw new Refusal('has two verdicts');
  const { verdict, reason, seconds, stages, peakBytes } = data;
  if (verdict !== 'satisfied' && verdict !== 'violated' && verdict !== 'unknown')
    throw new Refusal('has a verdict that is not satisfied, violated or unknown');
  if (reason !== undefined && typeof reason !== 'string') throw new Refusal('has a reason that is not a string');
  if (verdict === 'unknown' && !reason) throw new Refusal('has no reason for the missing verdict');
  return {
    verdict,
    ...(reason !== undefined && { reason: visibleLine(reason.slice(0, SHOWN)) }),
    ...(seconds !== undefined && { seconds: amountIn('seconds', seconds) }),
    ...(stages !== undefined && { stages: stagesIn(stages) }),
    ...(peakBytes !== undefined && { peakBytes: amountIn('peakBytes', peakBytes) }),
  };
}

function stagesIn(stages: unknown): Readonly<Record<string, number>> {
  if (!isObject(stages)) throw new Refusal('has "stages" that is not an object of names and seconds');
  const read = Object.entries(stages).map(
    ([name, seconds]) => [visibleLine(name), amountIn('stages', seconds)] as const,
  );
  return Object.fromEntries(read);
}

function amountIn(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw new Refusal(`has "${name}" that is not a number of at least 0`);
  return value;
}
