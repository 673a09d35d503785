import { deb } from './debian.ts';
/** Key-value servers from Debian's packages. */
import type { DebianOrigin, Engine } from '../engine/engine.ts';

const fromDebian = (
  packages: DebianOrigin['packages'],
  own: Omit<Engine, 'origin' | 'needs' | 'platforms'>,
): Engine => ({
  ...own,
  origin: { kind: 'debian', packages },
  needs: ['apt-get', 'dpkg'],
  platforms: ['linux-x64'],
});

const ETCD = deb('etcd-server', '3.4.23-4+b4', '3a9445d4560ad6de1c375756b2a17d97713df44cbd20a658c871fe108af7ef5d');

/**
 * The tools package contains the program, and the server package refers to it; both need libraries that some systems
 * lack.
 */
const REDIS = [
  deb('redis-server', '5:7.0.15-1~deb12u7', '1f43e46f153d1653586e72871dd3e2ea08acba5c3d2b38b02f90d63d16352cac'),
  deb('redis-tools', '5:7.0.15-1~deb12u7', '3c8cd27847c6a06b6f6c29e7415a9057462a89661e3a8e2eb8dd5b2d7830bb40'),
  deb('libjemalloc2', '5.3.0-1', 'a4117c23c5c8acf6c9678a6cb086f000b79476369da7efe8a78a70826956ad3d'),
  deb('liblzf1', '3.6-3', '9854b0866201b63e04f1e446f45f01ef4a6f72c61f2250b75f944f6046cc7e8c'),
  deb('libatomic1', '12.2.0-14+deb12u1', 'fbd4e154a6b444229ea002cc209df099209c0adc09102e5fd21239a3d2b55e2d'),
];

export const KEY_VALUE_SERVERS: readonly Engine[] = [
  fromDebian([ETCD], {
    name: 'etcd',
    version: '3.4.23',
    title: 'etcd, three nodes',
    isolations: [{ name: 'serializable', claims: 'strict-serializable' }],
    data: ['registers', 'lists', 'rows'],
    documentation: 'https://etcd.io/docs/v3.4/learning/api_guarantees/',
    runs: { kind: 'etcd' },
    options: { choices: { nodes: ['3', '1'] } },
  }),
  fromDebian(REDIS, {
    name: 'redis',
    version: '7.0.15',
    title: 'Redis',
    isolations: [{ name: 'watch', claims: 'strict-serializable' }],
    data: ['registers', 'lists'],
    documentation: 'https://redis.io/docs/latest/develop/interact/transactions/',
    runs: { kind: 'redis' },
    options: {},
  }),
];
