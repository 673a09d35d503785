import type { PluginKind } from './kind.ts';

export const checker: PluginKind = {
  name: 'checker',
  title: 'a checker',
  template: 'my-checker.mjs',
  taken: async () => (await import('isolab')).CHECKERS.map(({ name }) => name),
  steps: (file) => [
    `isolab test-plugin ${file}`,
    `isolab check history.jsonl --level read-committed --checker ${file}`,
  ],
};
