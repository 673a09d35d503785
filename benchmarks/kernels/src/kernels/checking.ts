import type * as contract from '@isolab/contract';
import * as history from '@isolab/history';
import * as checker from '@isolab/weave';
import { generate, sized } from './generate.ts';
import type { Kernel } from './kernel.ts';

function inputOf(operations: number): contract.InputOf<'history'> {
  const made = generate(sized(operations));
  const index = history.buildReadFrom(made);
  return { kind: 'history', history: made, index, internal: history.findInternalAnomalies(made, index) };
}

const contextThat = (certify: boolean): contract.RunContext => ({
  certify,
  findAll: false,
  stage: () => {},
  count: () => {},
  progress: () => {},
  tick: () => {},
});

function check(input: contract.InputOf<'history'>, level: contract.LevelName, certify: boolean) {
  const { info } = checker.weave;
  const options = Object.fromEntries(Object.entries(info.options).map(([name, option]) => [name, option.default]));
  return checker.weave.check(input, level, options as never, contextThat(certify));
}

const checking = (name: string, level: contract.LevelName, operations: number): Kernel => ({
  name,
  setUp: async (quick) => {
    const input = inputOf(quick ? operations / 10 : operations);
    const { status } = await check(input, level, false);
    if (status !== 'satisfied') throw new Error(`expected satisfied, got ${status}`);
    return { run: () => check(input, level, false) };
  },
});

const verifying: Kernel = {
  name: 'verify a commit order',
  setUp: async (quick) => {
    const input = inputOf(quick ? 20_000 : 200_000);
    const verdict = await check(input, 'serializable', true);
    if (verdict.status !== 'satisfied' || !verdict.certificate) throw new Error('expected a certificate');
    const { certificate } = verdict;
    const verifier = await import('@isolab/verifier'); // imported here, so that the other kernels run on commits without it
    return { run: () => verifier.verifyCertificate(input.history, 'serializable', 'satisfied', certificate) };
  },
};

export default [
  checking('weave, read committed', 'read-committed', 500_000),
  checking('weave, read atomic', 'read-atomic', 500_000),
  checking('weave, causal (vectors)', 'causal', 500_000),
  checking('weave, serializable (replay)', 'serializable', 100_000),
  checking('weave, snapshot isolation (replay)', 'snapshot-isolation', 100_000),
  verifying,
];
