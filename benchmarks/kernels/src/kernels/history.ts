import * as history from '@isolab/history';
import { generate, generateLists, sized } from './generate.ts';
import type { Kernel } from './kernel.ts';

const of = (quick: boolean) => sized(quick ? 50_000 : 500_000);

const kernels: readonly Kernel[] = [
  {
    name: 'read-from index',
    setUp: (quick) => {
      const registers = generate(of(quick));
      return { run: () => history.buildReadFrom(registers) };
    },
  },
  {
    name: 'read-from index of lists',
    setUp: (quick) => {
      const lists = generateLists({ ...of(quick), keys: 100 }, 30);
      return { run: () => history.buildReadFrom(lists) };
    },
  },
];
export default kernels;
