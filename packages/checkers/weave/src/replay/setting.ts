import type { History } from '@isolab/history';
import type { Model } from '../model.ts';
import type { Known } from '../saturate/known.ts';
import type { Chains } from '../view/chains.ts';
import type { Versions } from '../view/versions.ts';

/** Input of a replay. */
export interface Setting {
  readonly history: History;
  readonly versions: Versions;
  readonly model: Model;
  readonly chains: Chains;
  readonly known: Known | null;
  /** The guess. */
  readonly order: Int32Array;
}
