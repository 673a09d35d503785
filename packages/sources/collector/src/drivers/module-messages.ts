/** Messages between isolab and the process of a module. */

export type ToModule = Asked & { readonly id: number };

export type Asked =
  | { readonly to: 'load'; readonly url: string }
  | { readonly to: 'open'; readonly given: object }
  | {
      readonly to: 'prepare';
      readonly data: string;
      readonly keep: boolean;
      /** Statements that create tables, where isolab writes SQL. */
      readonly statements: readonly string[];
    }
  | { readonly to: 'connect'; readonly session: number; readonly isolation: string }
  | {
      readonly to: 'ask';
      readonly session: number;
      readonly method: string;
      readonly given: readonly unknown[];
    }
  | { readonly to: 'close'; readonly session: number | null };

export type FromModule =
  | { readonly id: number; readonly value: unknown }
  /** `lacking`: the module is not a driver or does not support the request. */
  | { readonly id: number; readonly failed: 'aborted' | 'lost' | 'error' | 'lacking'; readonly why: string }
  /** Failure outside of all requests. */
  | { readonly id: null; readonly why: string };
