// Vega without a browser, loaded at the first call.

import type { Spec } from './axes.ts';
import { textWidth } from './text-width.ts';

type Vega = typeof import('vega');
type View = InstanceType<Vega['View']>;

/** Lays out a chart, passes it to `use`, and releases it. */
export async function withView<T>(spec: Spec, use: (view: View) => Promise<T>): Promise<T> {
  const [vega, { compile }] = await loadVega();
  const { textMetrics } = vega as unknown as { textMetrics: TextMetrics };
  textMetrics.width = widthOf;
  const compiled = compile(spec as unknown as Parameters<typeof compile>[0], { logger: silent });
  const view = new vega.View(vega.parse(compiled.spec), { renderer: 'none', logLevel: 0 });
  try {
    return await use(view);
  } finally {
    view.finalize();
  }
}

/** Returns whether the renderer of figures is installed. */
export async function canDraw(load: () => Promise<unknown> = loadVega): Promise<boolean> {
  try {
    await load();
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') return false;
    throw error;
  }
}

const loadVega = () => Promise.all([import('vega'), import('vega-lite')]);

interface TextMetrics {
  width: (item: { readonly fontSize?: number }, text: unknown) => number;
}

/** The readers' fonts are up to an eighth wider than Helvetica; nothing may overlap in any of them. */
const widthOf: TextMetrics['width'] = ({ fontSize = 11 }, text) =>
  text === null || text === undefined ? 0 : Math.ceil(textWidth(String(text), fontSize) * 1.14);

type CompileOptions = NonNullable<Parameters<typeof import('vega-lite').compile>[1]>;

/** Vega-Lite would print its warnings to the console. */
const silent = (() => {
  const logger = {
    level: () => logger,
    error: () => logger,
    warn: () => logger,
    info: () => logger,
    debug: () => logger,
  };
  return logger as unknown as NonNullable<CompileOptions['logger']>;
})();
