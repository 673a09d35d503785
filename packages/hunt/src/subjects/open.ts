import type { HuntOptions } from '../events.ts';
import type { HuntSettings } from '../options.ts';
import { RealDatabase } from './real.ts';
import { SimulatedDatabase, isSimulated } from './simulated.ts';
import type { Subject } from './subject.ts';

export async function openSubject(settings: HuntSettings, options: HuntOptions): Promise<Subject> {
  return settings.database.length === 1 && isSimulated(settings.database[0]!)
    ? new SimulatedDatabase(settings)
    : RealDatabase.open(settings, options);
}
