import type { Engine } from './engine/engine.ts';

/** Describes the source of an engine, for people. */
export function originWords({ origin }: Engine): string {
  switch (origin.kind) {
    case 'installed':
      return `npm ${origin.package}, installed with isolab`;
    case 'npm':
      return `npm ${origin.package.replace('/{platform}', '')}${origin.builds ? ', compiled here' : ''}`;
    case 'maven':
      return `Maven Central ${origin.artifact.split(':')[1]}`;
    case 'debian':
      return `Debian ${origin.packages[0]!.name}`;
    case 'java':
      return `Maven Central${origin.natives ? ' and PyPI' : ''}, with isolab’s program in Java`;
    case 'go':
      return 'Go, with isolab’s program';
    case 'rust':
      return 'crates.io, with isolab’s program in Rust';
    case 'python':
      return 'PyPI, with isolab’s program in Python';
  }
}
