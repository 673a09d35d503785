/** Checkers that series name, each loaded once, with the inputs of their results. */
import { openDevice } from '@isolab/graph/gpu';
import type { CheckerRef } from '@isolab/runner';
import { DRAWINGS } from '@isolab/hunt';
import { codeVersion } from '../experiment/code-version.ts';
import { HUNT } from '../experiment/hunted-source.ts';
import type { Series } from '../experiment/experiment.ts';
import { PREDICT, isBoundary } from './measure-prediction.ts';
import { TOOL_PREFIX, type Tool, type Tools, toolVersion, whyNot } from '../experiment/tools.ts';

export type Engine =
  | { readonly kind: 'checker'; readonly ref: CheckerRef; readonly code: string }
  | { readonly kind: 'tool'; readonly name: string; readonly tool: Tool; readonly code: string }
  | { readonly kind: 'hunt'; readonly code: string }
  | { readonly kind: 'prediction'; readonly code: string }
  | { readonly kind: 'absent'; readonly reason: string };

export type LoadChecker = (name: string) => Promise<CheckerRef>;

export class Engines {
  readonly #load: LoadChecker;
  readonly #tools: Tools;
  readonly #loaded = new Map<string, Promise<Engine>>();
  #gpu: Promise<{ readonly name: string } | { readonly reason: string }> | null = null;

  constructor(load: LoadChecker, tools: Tools) {
    this.#load = load;
    this.#tools = tools;
  }

  async engineFor({ checker, variant }: Series, level: string): Promise<Engine> {
    if (checker.startsWith(TOOL_PREFIX)) return this.#toolNamed(checker.slice(TOOL_PREFIX.length), level);
    if (checker === HUNT) return huntNamed(variant);
    if (checker === PREDICT) return predictionNamed(variant);
    let engine = this.#loaded.get(checker);
    if (!engine) this.#loaded.set(checker, (engine = this.#checkerNamed(checker)));
    const found = await engine;
    if (found.kind !== 'checker') return found;
    const { variants, levels } = found.ref.checker.info;
    if (variant !== undefined && !Object.hasOwn(variants, variant))
      return { kind: 'absent', reason: `absent variant: ${checker} has no variant ${variant}` };
    if (!(levels as readonly string[]).includes(level))
      return { kind: 'absent', reason: `absent level: ${checker} does not check ${level}` };
    if (variant === undefined || variants[variant]!.needs !== 'a GPU') return found;
    const gpu = await (this.#gpu ??= findGpu());
    return 'reason' in gpu
      ? { kind: 'absent', reason: gpu.reason }
      : { ...found, code: `${found.code} on ${gpu.name}` };
  }

  async #checkerNamed(name: string): Promise<Engine> {
    let ref: CheckerRef;
    try {
      ref = await this.#load(name);
    } catch (error) {
      const [line] = (error as Error).message.split('\n');
      return { kind: 'absent', reason: `absent checker: ${line}` };
    }
    const code = ref.url === null ? 'unknown' : codeVersion(ref.url);
    return { kind: 'checker', ref, code: `${code} in ${hostVersion()}` };
  }

  #toolNamed(name: string, level: string): Engine {
    const tool = this.#tools[name];
    const reason = whyNot(name, tool, level);
    if (reason !== null || !tool) return { kind: 'absent', reason: reason ?? `absent tool: ${name}` };
    return { kind: 'tool', name, tool, code: toolVersion(tool) };
  }
}

/** A hunt as a checker; its variant is the drawing strategy. */
function huntNamed(variant: string | undefined): Engine {
  if (!DRAWINGS.some((name) => name === variant))
    return { kind: 'absent', reason: `absent variant: a hunt has the variants ${DRAWINGS.join(', ')}, not ${variant}` };
  return { kind: 'hunt', code: codeVersion(import.meta.resolve('@isolab/hunt')) };
}

/** A search for predictions as a checker; its variant is the boundary. */
function predictionNamed(variant: string | undefined): Engine {
  if (!isBoundary(variant))
    return { kind: 'absent', reason: `absent variant: a prediction has a boundary as its variant, not ${variant}` };
  return { kind: 'prediction', code: codeVersion(import.meta.resolve('@isolab/predict')) };
}

/** Finds this machine's GPU; results of different GPUs are not comparable. */
async function findGpu(): Promise<{ readonly name: string } | { readonly reason: string }> {
  const device = await openDevice('hardware');
  if (typeof device === 'string') return { reason: `absent device: ${device}` };
  device.device.destroy();
  return { name: device.name };
}

let host: string | null = null;
/**
 * Version of the runner and the formats, which determine the measured quantities and the history that a checker reads.
 */
const hostVersion = (): string =>
  (host ??= ['@isolab/runner', '@isolab/formats'].map((name) => codeVersion(import.meta.resolve(name))).join(' '));
