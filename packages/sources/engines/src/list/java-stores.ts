/** Engines of keys and values in Java; each is a class of programs/java/stores. */
import type { Engine, Isolation, Options, Violation } from '../engine/engine.ts';
import { throughProgram } from './driver-program.ts';
import { GSON } from './java.ts';

interface Release extends Pick<Engine, 'name' | 'version' | 'title' | 'isolations' | 'documentation'> {
  readonly store: string;
  /** Checksums of the jars; the last one is the engine itself. */
  readonly jars: Readonly<Record<string, string>>;
  readonly opens?: readonly string[];
  readonly options?: Options;
  readonly violations?: readonly Violation[];
}

const release = ({ store, jars, opens, ...own }: Release): Engine =>
  throughProgram({
    origin: {
      kind: 'java',
      jars: [GSON, ...Object.entries(jars).map(([artifact, sha256]) => ({ artifact, sha256 }))],
      store,
      ...(opens && { opens }),
    },
    needs: ['mvn', 'javac', 'java'],
    runs: { kind: 'program', options: [store] },
    ...own,
  });

const SNAPSHOT: Isolation = { name: 'snapshot', claims: 'snapshot-isolation' };
const SERIALIZABLE: Isolation = { name: 'serializable', claims: 'serializable' };

const LOCKED_READS: Isolation = {
  name: 'locked reads',
  claims: 'serializable',
  warning:
    'Every read takes the lock of its key until commit, also where the key is absent. isolab checks serializability.',
};

const EXCLUSIVE: Isolation = {
  name: 'exclusive',
  claims: 'serializable',
  warning: 'Xodus promises that no other transaction, except read-only ones, runs beside an exclusive one.',
};

const ENSURED_READS: Isolation = {
  name: 'ensured reads',
  claims: 'serializable',
  warning: 'Every read is ensured: according to Clojure, no other transaction changes what it read.',
};

const NO_LOST_UPDATES: Isolation = {
  name: 'repeatable read',
  claims: 'cursor-stability',
  warning: 'Infinispan promises repeatable reads, and no lost updates. isolab checks cursor stability.',
};

const CHECKED_UPDATES: Isolation = {
  ...NO_LOST_UPDATES,
  warning:
    'ArcadeDB promises repeatable reads, and refuses updates of pages that changed. isolab checks cursor stability.',
};

const MISSED_INSERT: Violation = {
  level: 'serializable',
  what: 'read skew: a read that finds no record does not always conflict with its insertion by another transaction',
  link: null,
};

const SKEW_OF_NODES: Violation = {
  level: 'serializable',
  what: 'write skew of two keys in different nodes of the tree: only changes of the same node conflict',
  link: null,
};

const RARE_LOST_UPDATE: Violation = {
  level: 'cursor-stability',
  what: 'committed increments that are lost, a few of half a million with 8 threads',
  link: 'https://github.com/ArcadeData/arcadedb/issues/6950',
};

const LOST_BY_KILL: Violation = {
  level: 'serializable',
  what: 'with store=native, updates that several clients committed are lost if the process is killed',
  link: 'https://github.com/eclipse-rdf4j/rdf4j/issues/5843',
};

const IGNITE: readonly Isolation[] = [
  { name: 'pessimistic', claims: 'serializable' },
  { name: 'optimistic', claims: 'serializable' },
];

export const JAVA_STORES: readonly Engine[] = [
  release({
    store: 'RocksDb',
    name: 'rocksdb',
    version: '11.1.2',
    title: 'RocksDB',
    isolations: [SNAPSHOT, LOCKED_READS],
    documentation: 'https://github.com/facebook/rocksdb/wiki/Transactions',
    jars: {
      'org.rocksdb:rocksdbjni:11.1.2': 'd2851e044959af829fe486757c15174f570d7f06ee6eab2cb1be2ac0cc7e168f',
    },
    options: { choices: { policy: ['committed', 'prepared', 'unprepared', 'optimistic'] } },
  }),
  release({
    store: 'BerkeleyDb',
    name: 'berkeleydb',
    version: '18.3.12',
    title: 'Berkeley DB Java Edition',
    isolations: [SERIALIZABLE],
    documentation: 'https://docs.oracle.com/cd/E17277_02/html/TransactionGettingStarted/isolation.html',
    jars: {
      'com.sleepycat:je:18.3.12': '0a42bb7d53c0cfa7e445eb57bc2bf74fedbb8d22d7216a12dafa2a3aefe5c73e',
    },
    violations: [MISSED_INSERT],
  }),
  release({
    store: 'Xodus',
    name: 'xodus',
    version: '2.0.1',
    title: 'JetBrains Xodus',
    isolations: [SNAPSHOT, EXCLUSIVE],
    documentation: 'https://github.com/JetBrains/xodus/wiki#snapshot-isolation',
    jars: {
      'io.github.microutils:kotlin-logging:1.7.9': '2a2c044da3e8da5995ab199b3b70899881ce2d816ba29c2e8053a2402a97cf16',
      'org.apache.commons:commons-compress:1.21': '6aecfd5459728a595601cfa07258d131972ffc39b492eb48bdd596577a2f244a',
      'org.jetbrains.kotlin:kotlin-stdlib-common:1.6.10':
        '280ddd0994e4560c9a49ee81c1b047ddc2b8f2176159475066025b474b37effd',
      'org.jetbrains.kotlin:kotlin-stdlib:1.6.10': '5305f7a4dee7a6cb79a29c258aca93de47b49588a6dfc6da01bd8772589ea66c',
      'org.jetbrains.xodus:xodus-compress:2.0.1': '738bad08a5e59ed23246b336cbc48a0ddf5cb6d11a9cf27d7152fd9bbcf6f970',
      'org.jetbrains.xodus:xodus-openAPI:2.0.1': 'a1c8ba48cfdf377c9829710671a0166bba5c3636f085225f05859b2255398c8c',
      'org.jetbrains.xodus:xodus-utils:2.0.1': '5c093cc7eab53ff34f050e3090d8c63f0006d79c82a26f6a41d70873b0ca0561',
      'org.jetbrains:annotations:13.0': 'ace2a10dc8e2d5fd34925ecac03e4988b2c0f851650c94b8cef49ba1bd111478',
      'org.slf4j:slf4j-api:1.7.29': '47b624903c712f9118330ad2fb91d0780f7f666c3f22919d0fc14522c5cad9ea',
      'org.slf4j:slf4j-nop:1.7.36': 'c214958b07816cb4412b30c7bdbd4308ffdc6ba2a83767b8f3a9229cbd9274d6',
      'org.jetbrains.xodus:xodus-environment:2.0.1': '2b763287f650bb8b95e3190264343ec2471ee614f320ea15a24d7525c51e781b',
    },
  }),
  release({
    store: 'MapDb',
    name: 'mapdb',
    version: '1.0.9',
    title: 'MapDB',
    isolations: [SERIALIZABLE],
    violations: [SKEW_OF_NODES],
    documentation:
      'https://github.com/jankotek/mapdb/blob/mapdb-1.0.9/src/site/markdown/11-internals-quick-intro.md#txmaker',
    jars: {
      'org.mapdb:mapdb:1.0.9': 'fac1afd9bfd1be9f2f480fb0c1253cdb9947f334f61a07ec9a855eb2a9d6aedd',
    },
  }),
  release({
    store: 'ClojureRefs',
    name: 'clojure',
    version: '1.12.0',
    title: 'Refs of Clojure',
    isolations: [SNAPSHOT, ENSURED_READS],
    documentation: 'https://clojure.org/reference/refs',
    jars: {
      'org.clojure:core.specs.alpha:0.4.74': 'eb73ac08cf49ba840c88ba67beef11336ca554333d9408808d78946e0feb9ddb',
      'org.clojure:spec.alpha:0.5.238': '94cd99b6ea639641f37af4860a643b6ed399ee5a8be5d717cff0b663c8d75077',
      'org.clojure:clojure:1.12.0': 'c45333006441a059ea9fdb1341fc6c1f40b921a10dccd82665311e48a0384763',
    },
  }),
  release({
    store: 'Rdf4j',
    name: 'rdf4j',
    version: '5.2.0',
    title: 'RDF4J',
    isolations: [SERIALIZABLE],
    documentation: 'https://rdf4j.org/documentation/programming/repository/#transaction-isolation-levels',
    jars: {
      'com.google.guava:guava:32.1.3-jre': '6d4e2b5a118aab62e6e5e29d185a0224eed82c85c40ac3d33cf04a270c3b3744',
      'org.eclipse.rdf4j:rdf4j-collection-factory-api:5.2.0':
        'a0f73f9ad5a0e42d2613f4a09c5b13cd7ef76087c6d6548d424180f3ec4a8cfd',
      'org.eclipse.rdf4j:rdf4j-common-exception:5.2.0':
        '431f33d6083fbe9592aaba8afdf0e7273b3acb029c526628ea54bf3c770595e8',
      'org.eclipse.rdf4j:rdf4j-common-io:5.2.0': '62a7c1a5d232fca3ddf6858e649583fea9f77443878a3975aa69e8cb1ee79354',
      'org.eclipse.rdf4j:rdf4j-common-iterator:5.2.0':
        '92a72c134ba3a88facc0d720393ebd2a567b1b6094d6a3a2f0ff035c7d665a04',
      'org.eclipse.rdf4j:rdf4j-common-order:5.2.0': '55b6d011838b28eb26c8e2f3afd487910df6a5c84db4582bf3b7618afaa9cd69',
      'org.eclipse.rdf4j:rdf4j-common-transaction:5.2.0':
        '283f39ff03a2eefaaea38ada3e313e8f4c2a48fa40ad82e0072041d90537ee7a',
      'org.eclipse.rdf4j:rdf4j-http-client:5.2.0': '961367906599e56204ef941c14a1776d45fbd3d412bcf72cfbf851683a201963',
      'org.eclipse.rdf4j:rdf4j-model-api:5.2.0': '0ce66d8580553d318c65cc9b53a8a4ab062d2c9bd13ad90d92ef1c9b3c57f2fe',
      'org.eclipse.rdf4j:rdf4j-model-vocabulary:5.2.0':
        'e7ac7d23f14293c35fe0e0b9acb92bafe9e5e4a5489980facd19e678d7986fec',
      'org.eclipse.rdf4j:rdf4j-model:5.2.0': '5c599d1c5cbbd74bc738b4ff231c1e015d3ae8c5e4178ddba9d2f5f73a4b9e1c',
      'org.eclipse.rdf4j:rdf4j-query:5.2.0': '26004e44ca90b84f8395458425aba23602d2b2a72f36ce732c53ee6cb8ee2d81',
      'org.eclipse.rdf4j:rdf4j-queryalgebra-evaluation:5.2.0':
        '01e0370d1f2c68467ced9c30db70d9bfc09ff8ef53b8a5bdd7ba9d69539394e2',
      'org.eclipse.rdf4j:rdf4j-queryalgebra-model:5.2.0':
        '5860656450e39a35aa29d85fa01994b38f41a91ef8c7ed5d05d93513b175d3dc',
      'org.eclipse.rdf4j:rdf4j-repository-sparql:5.2.0':
        '1264eb5bfa1cb6a1a858526f7b74ccf05870589701909f41b177918865a42304',
      'org.eclipse.rdf4j:rdf4j-sail-api:5.2.0': '381af879957a061f51860f2be626cc2e7553c7285f2c7ce040e6e77b1920d5e3',
      'org.eclipse.rdf4j:rdf4j-sail-base:5.2.0': '78c924dba99c4f5bbfcd0dcc1856854fe730ef73f33febb49fae3ed9855e697b',
      'org.eclipse.rdf4j:rdf4j-sail-nativerdf:5.2.0':
        '083d2afce89b8411331f60ddf64d0cee8c27308a7d2f2e6eaac156a6aa434450',
      'org.slf4j:slf4j-api:1.7.36': 'd3ef575e3e4979678dc01bf1dcce51021493b4d11fb7f1be8ad982877c16a1c0',
      'org.slf4j:slf4j-nop:1.7.36': 'c214958b07816cb4412b30c7bdbd4308ffdc6ba2a83767b8f3a9229cbd9274d6',
      'org.eclipse.rdf4j:rdf4j-sail-memory:5.2.0': '38ef11ffb84401a1b3d46b8839465019c16aeef54a4213a9c2a2f4051f151a9f',
    },
    options: { choices: { store: ['memory', 'native'] } },
    violations: [LOST_BY_KILL],
  }),
  release({
    store: 'Infinispan',
    name: 'infinispan',
    version: '15.2.0.Final',
    title: 'Infinispan',
    isolations: [NO_LOST_UPDATES],
    documentation:
      'https://infinispan.org/docs/stable/titles/configuring/configuring.html#isolation-levels_configuring-transactions',
    jars: {
      'com.fasterxml.jackson.core:jackson-core:2.18.1':
        'ebe19596ad19f7a0514c8bb8f7b0acf85239a4eff5ae03229e9760d268d29c22',
      'com.github.ben-manes.caffeine:caffeine:3.2.0':
        'ec411dfdf0c03f25218648ce89861630b71680e5858a9a7278ebac8e55cab3d7',
      'io.reactivex.rxjava3:rxjava:3.1.10': 'e9f256f9e805572dd5fd45b140db360d7dc444d0c383049b2d3d7ebf05d84aab',
      'jakarta.transaction:jakarta.transaction-api:2.0.1':
        '50c0a7c760c13ae6c042acf182b28f0047413db95b4636fb8879bcffab5ba875',
      'org.infinispan.protostream:protostream-processor:5.0.13.Final':
        '453e33d003adf79ff1d336e3d8644995a5bc03a75a39e2eb0375a694705ee0a1',
      'org.infinispan.protostream:protostream-types:5.0.13.Final':
        '621b0f9a2bc1782640669c767df0c94bc36e1e8aee0ed4a55ced159b96559358',
      'org.infinispan.protostream:protostream:5.0.13.Final':
        '4682c7e5f53736418a00ba99de847d572fe2557c21a31e5d099c3c26f6ee43d2',
      'org.infinispan:infinispan-commons-spi:15.2.0.Final':
        '33fada7d389600be9dc56001c3b928228f7de31d760d194a12552fedbd8adaf9',
      'org.infinispan:infinispan-commons:15.2.0.Final':
        '67aa540405c47c95c279a9469e780871dfe26fbeb7c19b03c90b5577eceabbb3',
      'org.infinispan:infinispan-counter-api:15.2.0.Final':
        '453b81250b131fb672f507faca9f23f5569573d5295e3b7769067db74b96cbf8',
      'org.jboss.logging:jboss-logging:3.6.1.Final': '5e08a4b092dc85b337f0910a740571d8720cfa565fabd880a8caf94a657ca416',
      'org.jboss.threads:jboss-threads:3.6.1.Final': 'a0432e46d8781ee4f9e431fd05be3b58abf668b7e3c524ebf276c0621dc81827',
      'org.jgroups:jgroups:5.4.5.Final': '8449a2ab58a009ed99a48a18fef8eb991a8df1ec8006ef1af3c7d8b5cc07555f',
      'org.jspecify:jspecify:1.0.0': '1fad6e6be7557781e4d33729d49ae1cdc8fdda6fe477bb0cc68ce351eafdfbab',
      'org.reactivestreams:reactive-streams:1.0.4': 'f75ca597789b3dac58f61857b9ac2e1034a68fa672db35055a8fb4509e325f28',
      'org.wildfly.common:wildfly-common:1.7.0.Final':
        '02baad428c4a0fc2f503795d08644752a15731fb51c3da1add108d5e6ac5d283',
      'org.infinispan:infinispan-core:15.2.0.Final': 'e4e487e8825c16a65171547b04d0c97341ea231c2749418ee5bc4f9e37baccdd',
    },
  }),
  release({
    store: 'Ignite',
    name: 'ignite',
    version: '2.17.0',
    title: 'Apache Ignite',
    isolations: IGNITE,
    documentation: 'https://ignite.apache.org/docs/2.17.0/key-value-api/transactions',
    jars: {
      'javax.cache:cache-api:1.0.0': 'd2836213144722e2eb1d7461f6e2ea3349d6fbbf9cd5f345c7133bc29bd39ca1',
      'org.jetbrains:annotations:16.0.3': '04b16e8d2309bf7771fbee16187b76f63af6ccd023cf664ec846e4e8e65c5b3f',
      'org.apache.ignite:ignite-core:2.17.0': '99eb9daa15208b6aaf39adb11403b5f6a6380ace134a5100b9be349bc81901da',
    },
    opens: [
      'java.lang',
      'java.lang.invoke',
      'java.io',
      'java.nio',
      'java.util',
      'jdk.internal.access',
      'jdk.internal.misc',
      'sun.nio.ch',
    ],
  }),
  release({
    store: 'Multiverse',
    name: 'multiverse',
    version: '0.7.0',
    title: 'Multiverse',
    isolations: [SNAPSHOT, SERIALIZABLE],
    documentation: 'https://github.com/pveentjer/Multiverse',
    jars: {
      'org.multiverse:multiverse-core:0.7.0': 'c54398f0228054b7fae65227433ae9da87e5b2a96eba824e66a924912d10fc50',
    },
  }),
  release({
    store: 'ArcadeDb',
    name: 'arcadedb',
    version: '25.3.1',
    title: 'ArcadeDB',
    isolations: [CHECKED_UPDATES],
    violations: [RARE_LOST_UPDATE],
    documentation: 'https://docs.arcadedb.com/#Transactions',
    jars: {
      'com.arcadedb:arcadedb-engine:25.3.1': '5e56b8b2aea9f987ec199ace4cd29634e1d164864539f192bc0f01edaf2069ba',
    },
    opens: ['java.nio.channels.spi'],
  }),
  release({
    store: 'ScalarDb',
    name: 'scalardb',
    version: '3.19.1',
    title: 'ScalarDB',
    isolations: [
      { name: 'read committed', claims: 'read-committed-pl2' },
      {
        name: 'snapshot',
        claims: 'cursor-stability',
        warning: 'According to ScalarDB, SNAPSHOT permits read skew and write skew. isolab checks cursor stability.',
      },
      { name: 'serializable', claims: 'strict-serializable' },
    ],
    documentation: 'https://scalardb.scalar-labs.com/docs/latest/consensus-commit/#isolation-levels',
    jars: {
      'com.zaxxer:HikariCP:4.0.3': '7c024aeff1c1063576d74453513f9de6447d8e624d17f8e27f30a2e97688c6c9',
      'com.github.ben-manes.caffeine:caffeine:2.9.3':
        '1e0a7bbef1dd791653143f3f05d0e489934bf5481e58a87c9e619cd46b68729b',
      'com.google.guava:failureaccess:1.0.3': 'cbfc3906b19b8f55dd7cfd6dfe0aa4532e834250d7f080bd8d211a3e246b59cb',
      'com.google.guava:guava:33.6.0-jre': 'dc573e1fca4fd5454f4a5fd3d7da2df03002876a4175bafc14a95980dd7713b3',
      'com.google.protobuf:protobuf-java:4.35.1': 'a4345ba2aa009912ff6f90467fea2d104605256b72c50840d75f13256638a472',
      'org.apache.commons:commons-lang3:3.20.0': '69e5c9fa35da7a51a5fd2099dfe56a2d8d32cf233e2f6d770e796146440263f4',
      'org.apache.commons:commons-text:1.15.0': '58d2da30f058512a1e7f914e39241deca4dff5c27a085b4ed2faa9e7208067f6',
      'org.slf4j:slf4j-api:1.7.36': 'd3ef575e3e4979678dc01bf1dcce51021493b4d11fb7f1be8ad982877c16a1c0',
      'org.slf4j:slf4j-nop:1.7.36': 'c214958b07816cb4412b30c7bdbd4308ffdc6ba2a83767b8f3a9229cbd9274d6',
      'org.xerial:sqlite-jdbc:3.53.2.1': 'f55e405ed96d5ffe629e05b7b51b059e1c7d64527c0cc90a972fbac06730ccc1',
      'com.scalar-labs:scalardb:3.19.1': '5d8d09cacaafcc15694675b7d162e608e5edeb11e8fc4e3da48d04dcc1063092',
    },
    options: { choices: { commit: ['two-phase', 'one-phase', 'group', 'asynchronous'] } },
  }),
];
