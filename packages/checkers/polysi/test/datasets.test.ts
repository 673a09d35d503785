import { verifyCertificate } from '@isolab/verifier';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { hasUndesiredCycle, isSatisfiable } from './support/brute-force.ts';
import { readBincode, readText } from './support/datasets.ts';
import { interpret, run } from './support/run.ts';

describe('the real histories where ISOLAB_DATASETS points', unless('datasets'), () => {
  // Section 5.3 and appendix D. The transactions of the Galera history are those of figure 5, (1,4), (1,5) and (2,13).
  test.each([
    ['MariaDB-Galera', 'VeriStrong/table2-si-polysi/galera__galera.txt', 'lost-update'],
    ['YugabyteDB', 'VeriStrong/table2-si-polysi/yugabyte__yugabyte.txt', 'causality-violation'],
    ['YugabyteDB', 'IsoVista/history-bugs/yugabyte_tcc.txt', 'causality-violation'],
    ['Dgraph', 'IsoVista/history-bugs/dgraph_si.txt', 'causality-violation'],
  ])('the real histories where ISOLAB_DATASETS points violate snapshot isolation: %s, %s', (_, path, name) => {
    const history = readText(path);
    const { verdict } = run(history, {}, { certify: true });
    if (verdict.status !== 'violated') throw new Error(`got ${verdict.status}`);
    const [anomaly] = verdict.anomalies;
    expect(anomaly!.name).toBe(name);
    expect(verifyCertificate(history, 'snapshot-isolation', 'violated', anomaly!.certificate!)).toEqual({ ok: true });

    const { counterexample, finalized, isSmallest } = interpret(history)!;
    expect(isSmallest).toBe(true);
    expect(hasUndesiredCycle(finalized.dependencies)).toBe(true);
    const { dependencies } = counterexample;
    expect(isSatisfiable(dependencies)).toBe(false);
    for (const left of dependencies) expect(isSatisfiable(dependencies.filter((d) => d !== left))).toBe(true);
  });

  test('the real histories where ISOLAB_DATASETS points have as many constraints as Table 3 says: GeneralRH', () => {
    const history = readBincode('PolySI-Artifacts/fig8_9_10/25_400_8_10000_0.95_uniform__hist-00000.bincode');
    const { verdict, counters } = run(history, {}, { certify: true });
    expect(counters).toMatchObject({
      constraintsBefore: 4198, // 4k
      unknownDependenciesBefore: 40_357, // 39k
      constraintsAfter: 29,
      unknownDependenciesAfter: 77,
    });
    if (verdict.status !== 'satisfied') throw new Error(`got ${verdict.status}`);
    expect(verifyCertificate(history, 'snapshot-isolation', 'satisfied', verdict.certificate!)).toEqual({ ok: true });
  });
});
