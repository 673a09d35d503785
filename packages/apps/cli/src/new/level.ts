import { BUILT_IN } from 'isolab/levels';
import type { PluginKind } from './kind.ts';

export const level: PluginKind = {
  name: 'level',
  title: 'a level of isolation',
  template: 'my-level.lvl',
  taken: async () => BUILT_IN.names,
  steps: (file) => [`isolab test-plugin ${file}`, `isolab levels place ${file}`],
};
