import { CollectorError } from '@isolab/collector';
import type { HuntOptions } from '../trials/events.ts';
import type { HuntSettings } from '../trials/options.ts';
import { RealDatabase } from './real.ts';
import { SimulatedDatabase, isSimulated } from './simulated.ts';
import type { Subject } from './subject.ts';

export async function openSubject(settings: HuntSettings, options: HuntOptions): Promise<Subject> {
  if (settings.database.length !== 1 || !isSimulated(settings.database[0]!))
    return RealDatabase.open(settings, options);
  if (settings.layout !== null || settings.faults !== null)
    throw new CollectorError(
      'The simulated database has no tables and no servers; its address states its faults, such as simulated:serializable?write-skew=0.001.',
    );
  return new SimulatedDatabase(settings);
}
