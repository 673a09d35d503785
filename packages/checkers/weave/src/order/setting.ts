import type { History } from '@isolab/history';
import type { Model } from '../problem/model.ts';
import type { Known } from '../facts/known.ts';
import type { Chains } from '../problem/chains.ts';
import type { Versions } from '../problem/versions.ts';

export interface Setting {
  readonly history: History;
  readonly versions: Versions;
  readonly model: Model;
  readonly chains: Chains;
  readonly known: Known | null;
  readonly order: Int32Array;
}
