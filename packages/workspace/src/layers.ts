/** The layers and their arrows, which point downwards. Each package names its layer in package.json (`nx.tags`). */
export const layers = [
  'app',
  'library',
  'host',
  'output',
  'source',
  'test',
  'checker',
  'kernel',
  'verifier',
  'contract',
  'model',
  'tool',
] as const;

export type Layer = (typeof layers)[number];

/** Which layers the sources of a layer may import from. */
export const allowedFromSources: Readonly<Record<Layer, readonly Layer[]>> = {
  app: ['app', 'library', 'host', 'output', 'source', 'test', 'checker', 'kernel', 'verifier', 'contract', 'model'],
  library: ['host', 'output', 'source', 'checker', 'kernel', 'verifier', 'contract', 'model'],
  host: ['verifier', 'contract', 'model'],
  output: ['output', 'contract', 'model'],
  source: ['source', 'contract', 'model'],
  test: ['host', 'source', 'test', 'verifier', 'contract', 'model'],
  // No checker imports another one: hosts load them by name.
  checker: ['kernel', 'contract', 'model'],
  kernel: ['kernel', 'model'],
  // Shares nothing with what it verifies.
  verifier: ['contract', 'model'],
  contract: ['model'],
  model: [],
  // Scripts of the workspace may read everything, for example to generate a table in a README; nothing imports them.
  tool: ['app', 'library', 'host', 'output', 'source', 'test', 'checker', 'kernel', 'verifier', 'contract', 'model'],
};

/** Which layers a package may import from outside its `src/`, in tests above all: the layers source, test and verifier come in addition. */
export function allowedFromTests(layer: Layer): readonly Layer[] {
  const fromSources = allowedFromSources[layer];
  return [...new Set<Layer>([...fromSources, 'source', 'test', 'verifier'])];
}

/** Layers whose sources run anywhere: no `node:*`, and `"types": []` in their tsconfig. */
export const pureLayers: readonly Layer[] = ['output', 'checker', 'kernel', 'verifier', 'contract', 'model'];

export function isLayer(text: string): text is Layer {
  return (layers as readonly string[]).includes(text);
}

/** The table as it stands in docs/architecture.md. */
export function layersAsMarkdown(): string {
  const rows = layers.map((layer) => {
    const allowed = allowedFromSources[layer];
    const pure = pureLayers.includes(layer) ? 'yes' : '';
    return `| ${layer} | ${allowed.length > 0 ? allowed.join(', ') : 'nothing'} | ${pure} |`;
  });
  return ['| layer | its sources may import | pure |', '| --- | --- | --- |', ...rows].join('\n');
}
