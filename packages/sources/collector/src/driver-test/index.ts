import { spelled } from '../database/answers.ts';
import type { DataKind, Driver, Isolation, Limits } from '../database/database.ts';
import { Interrupted, within } from '@isolab/engines';
import { CHECKS, CUT_CHECK, TEXT_KEYS, type Check } from './checks.ts';
import { CONCURRENT_CHECKS, meetingsOf } from './concurrent.ts';
import { KINDS } from '../database/kinds.ts';
import { OWN_CHECKS } from './own-checks.ts';
import { Silence, type Shown, Trial, broken, held } from './trial.ts';

export interface DriverFinding extends Shown {
  readonly data: DataKind;
  readonly check: string;
  readonly expected: string;
  /** Whether the database no longer answers; no check follows. */
  readonly isSilent?: true;
}

export interface Listeners {
  readonly onFinding: (finding: DriverFinding) => void;
  /** Receives the kinds of data that the open database supports; only these are tested. */
  readonly onKinds?: (kinds: readonly DataKind[]) => void;
}

/** Tests whether a driver has the properties that a collection relies on. Empties the tables that it uses. */
export async function testDriver(
  driver: Driver,
  address: string,
  isolation: Isolation,
  limits: Limits,
  kinds: readonly DataKind[],
  { onFinding, onKinds }: Listeners,
): Promise<DriverFinding[]> {
  const findings: DriverFinding[] = [];
  const database = await driver.open(address, limits);
  const trial = new Trial(database, isolation);
  try {
    const has = database.data ?? driver.data;
    onKinds?.(has);
    for (const data of kinds.filter((kind) => has.includes(kind))) {
      for (const check of [
        PREPARE,
        ...CHECKS,
        ...OWN_CHECKS[data],
        ...CONCURRENT_CHECKS,
        ...(KINDS[data].hasRows ? [] : [TEXT_KEYS, meetingsOf(driver)]),
        levelsOf(driver),
        CUT_CHECK,
      ]) {
        if (limits.signal?.aborted) throw new Interrupted();
        const { name, expected } = check;
        const finding = { data, check: name, expected, ...(await shownBy(check, trial, data)) };
        await trial.clear();
        findings.push(finding);
        onFinding(finding);
        if (check === PREPARE && finding.holds !== true) break; // no later check can pass
        if (finding.isSilent) return findings;
      }
    }
  } finally {
    await database.close();
  }
  return findings;
}

async function shownBy({ run }: Check, trial: Trial, data: DataKind): Promise<Shown & Pick<DriverFinding, 'isSilent'>> {
  const late = (): Error => new Silence(`it did not end within ${CHECK_MS / 1000} seconds`);
  try {
    return await within(CHECK_MS, run(trial, KINDS[data]), late);
  } catch (error) {
    const shown = broken(error instanceof Error ? error.message : spelled(error));
    return error instanceof Silence ? { ...shown, isSilent: true } : shown;
  }
}

const PREPARE: Check = {
  name: 'prepare creates the storage of the keys',
  expected: 'an answer within 30 seconds',
  async run({ database }, { data, tables }) {
    await database.prepare(data, false, tables);
    return held;
  },
};

const levelsOf = ({ isolations }: Driver): Check => ({
  name: 'every isolation level of the driver can be used',
  expected: 'a transaction at each level',
  async run(trial, kind) {
    for (const isolation of isolations) {
      const key = trial.newKey();
      const session = await trial.connect(isolation);
      try {
        await trial.commit(session, kind.put(key, trial.newValue()), kind.get(key));
      } catch (error) {
        return broken(`${isolation.name}: ${(error as Error).message}`);
      }
    }
    return held;
  },
});

const CHECK_MS = 30_000;
