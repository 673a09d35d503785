import type { DebianOrigin } from '../engine/engine.ts';

export const deb = (name: string, version: string, sha256: string): DebianOrigin['packages'][number] => ({
  name,
  version,
  sha256,
});
