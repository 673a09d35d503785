import type { Checker } from '@isolab/contract';
import type { DriverModule } from '@isolab/collector';
import type { HistoryFormat } from '@isolab/formats';
import type { SequentialModel } from '@isolab/operations';
import type { InjectedFault, KeyDistribution, Workload } from '@isolab/workloads';
import { asChecker } from '@isolab/runner';
import { asDistribution, isDistribution } from './distribution.ts';
import { PluginError, shown } from './errors.ts';
import { asFault, isFault } from './fault.ts';
import { asFormat, isFormat } from './format.ts';
import { loadDefault } from './load.ts';
import { asModelPlugin, isModel } from './model.ts';
import { type Fields, isRecord } from './shape.ts';
import { asWorkload, isWorkload } from './workload.ts';

/** A plug-in of any kind, loaded into this thread. */
export type Plugin =
  | { readonly kind: 'checker'; readonly plugin: Checker }
  | { readonly kind: 'workload'; readonly plugin: Workload }
  | { readonly kind: 'format'; readonly plugin: HistoryFormat }
  | { readonly kind: 'driver'; readonly plugin: Pick<DriverModule, 'title'> }
  | { readonly kind: 'distribution'; readonly plugin: KeyDistribution }
  | { readonly kind: 'fault'; readonly plugin: InjectedFault }
  | { readonly kind: 'model'; readonly plugin: SequentialModel };

interface Kind {
  /** Description of the fields of the default export that identify the kind. */
  readonly fields: string;
  readonly is: (value: Fields) => boolean;
  readonly as: (value: unknown, where: string) => Plugin;
}

const KINDS: readonly Kind[] = [
  {
    fields: 'a checker has info and check',
    is: (value) => 'info' in value && 'check' in value,
    as: (value, where) => ({ kind: 'checker', plugin: asChecker(value, where) }),
  },
  {
    fields: 'a workload has parameters and prepare',
    is: isWorkload,
    as: (value, where) => ({ kind: 'workload', plugin: asWorkload(value, where) }),
  },
  {
    fields: 'a format has matches and read',
    is: isFormat,
    as: (value, where) => ({ kind: 'format', plugin: asFormat(value, where) }),
  },
  {
    fields: 'a driver has isolations and open',
    is: (value) => 'isolations' in value && 'open' in value,
    as: (value) => ({ kind: 'driver', plugin: value as DriverModule }),
  },
  {
    fields: 'a distribution has draw',
    is: isDistribution,
    as: (value, where) => ({ kind: 'distribution', plugin: asDistribution(value, where) }),
  },
  {
    fields: 'a fault has breaks and inject',
    is: isFault,
    as: (value, where) => ({ kind: 'fault', plugin: asFault(value, where) }),
  },
  {
    fields: 'a model has initial and step',
    is: isModel,
    as: (value, where) => ({ kind: 'model', plugin: asModelPlugin(value, where) }),
  },
];

/** Loads the plug-in in a file or package. Its default export determines its kind. */
export async function pluginAt(word: string): Promise<Plugin> {
  const value = await loadDefault(word, 'plug-in');
  const kind = isRecord(value) ? KINDS.find(({ is }) => is(value)) : undefined;
  if (kind) return kind.as(value, word);
  const expected = KINDS.map(({ fields }) => fields).join(', ');
  throw new PluginError(`${word} exports ${shown(value)}, expected a plug-in: ${expected}`);
}
