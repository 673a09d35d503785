import { type Demand, loadDistributions, type Plugin } from 'isolab/plugins';
import type { Checker, History } from 'isolab';
import { check, type LevelName, type VerdictStatus } from 'isolab/check';
import { contentionOf } from 'isolab/skin';
import type { OperationHistory, OperationLevel, SequentialModel } from 'isolab/objects';
import { type Workload, resolveParameters } from '@isolab/workloads';
import type { Judge } from '@isolab/workloads/conformance';

/** Loads the conformance suite of a plug-in, for each kind that runs in this process. */
export async function demandsOf(
  { kind, plugin }: Exclude<Plugin, { readonly kind: 'driver' }>,
  set: Readonly<Record<string, string>>,
): Promise<readonly Demand[]> {
  switch (kind) {
    case 'checker':
      return checkerDemands(plugin);
    case 'workload':
      return workloadDemandsWith(plugin, set);
    case 'format':
      return (await import('@isolab/formats/conformance')).formatDemands(plugin);
    case 'distribution':
      return (await import('@isolab/workloads/conformance')).distributionDemands(plugin);
    case 'fault':
      return (await import('@isolab/workloads/conformance')).faultDemands(plugin, judge);
    case 'model':
      return (await import('@isolab/testkit/checks')).modelDemands(plugin, judgeObjects);
  }
}

async function workloadDemandsWith(workload: Workload, set: Readonly<Record<string, string>>) {
  const { workloadDemands } = await import('@isolab/workloads/conformance');
  await loadDistributions(workload, set);
  return workloadDemands(workload, resolveParameters(workload, set), judge);
}

async function checkerDemands(checker: Checker): Promise<readonly Demand[]> {
  const { conformanceChecks } = await import('@isolab/testkit/checks');
  return conformanceChecks(checker).map(({ group, name, run }) => ({
    name: `${group}: ${name}`,
    expected: 'the behaviour that its info states, and the definition of the level',
    show: async () => {
      await run();
      return { holds: true, found: '' };
    },
  }));
}

const judge: Judge = {
  async check(history: History, level: LevelName): Promise<VerdictStatus> {
    const result = await check(history, { level, steps: MOST_STEPS, certify: false, allowVacuous: true });
    return result.verdict;
  },
  met: (history) => contentionOf(history).met,
};

async function judgeObjects(history: OperationHistory, model: SequentialModel, level: OperationLevel) {
  const { checkOperations } = await import('isolab/objects');
  return (await checkOperations(history, model, { level, steps: MOST_STEPS })).verdict;
}

const MOST_STEPS = 20_000_000;
