import type { PluginKind } from './kind.ts';

export const format: PluginKind = {
  name: 'format',
  title: 'a file format',
  template: 'my-format.mjs',
  taken: async () =>
    (await import('isolab/formats')).ALL_FORMATS.flatMap((each) => [
      each.name,
      ...('aliases' in each ? (each.aliases ?? []) : []),
    ]),
  steps: (file) => [
    `isolab test-plugin ${file}`,
    `isolab generate general history.txt --to ${file}`,
    `isolab check history.txt --format ${file} --level serializable`,
  ],
};
