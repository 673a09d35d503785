/** What commands and experiments need of plug-ins; who writes one reads plugin.ts. */
export { PluginError } from './errors.ts';
export { type Plugin, pluginAt } from './kinds.ts';
export { faultsNamed, formatPlugin, loadDistributions, workloadNamed } from './named.ts';
