import type { PluginKind } from './kind.ts';

export const model: PluginKind = {
  name: 'model',
  title: 'a model of an object',
  template: 'my-model.mjs',
  taken: async () => Object.keys((await import('isolab/objects')).MODELS),
  steps: (file) => [`isolab test-plugin ${file}`, `isolab check history.jsonl --model ${file} --level all`],
};
