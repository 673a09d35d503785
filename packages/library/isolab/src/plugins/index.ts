/** Exports for commands and experiments that use plug-ins. Authors of plug-ins use plugin.ts. */
export { type Demand, type DemandFinding, type Shown, findingsOf } from '@isolab/contract';
export { PluginError } from './errors.ts';
export { type Plugin, pluginAt } from './kinds.ts';
export { faultsNamed, formatPlugin, loadDistributions, workloadNamed } from './named.ts';
