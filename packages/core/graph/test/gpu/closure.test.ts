import { type Digraph, closure, digraphOf, topologicalOrder } from '../../src/index.ts';
import fc from 'fast-check';
import { unless } from '@isolab/needs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type GraphicsDevice, closureOnDevice, openDevice } from '../../src/gpu/index.ts';

const found = await openDevice('any');

/** Acyclic: edges lead from smaller to greater numbers, under a shuffling of the nodes. */
const graphs = fc
  .record({
    numNodes: fc.integer({ min: 1, max: 700 }),
    edges: fc.array(fc.tuple(fc.nat(699), fc.nat(699)), { maxLength: 900 }),
    stride: fc.constantFrom(1, 7, 83, 89),
  })
  .map(({ numNodes, edges, stride }) => {
    const name = (n: number): number => (n * stride) % 701;
    const forward = edges
      .map(([a, b]) => [a % numNodes, b % numNodes] as const)
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => (name(a) < name(b) ? ([a, b] as const) : ([b, a] as const)));
    return digraphOf(
      numNodes,
      forward.map(([from]) => from),
      forward.map(([, to]) => to),
    );
  });

async function expectSame(device: GraphicsDevice, graph: Digraph): Promise<number> {
  const order = topologicalOrder(graph);
  const expected = closure(graph, order);
  const matrix = await closureOnDevice(device, graph, order);
  for (let from = 0; from < graph.numNodes; from++)
    for (let to = 0; to < graph.numNodes; to++)
      if (matrix.has(from, to) !== expected.has(from, to)) expect.unreachable(`${from} to ${to}`);
  return matrix.squarings;
}

describe('on a device', unless('gpu', typeof found !== 'string', String(found)), () => {
  let device: GraphicsDevice;
  beforeAll(() => {
    device = found as GraphicsDevice;
  });

  test('on a device agrees with rows of bits on the host', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (graph) => void (await expectSame(device, graph))),
      { numRuns: 20, seed: 3 },
    );
  });

  test('a closure on a device squares once for each doubling of the longest path', async () => {
    const nodes = Array.from({ length: 1100 }, (_, n) => n);
    const chain = digraphOf(1100, nodes.slice(0, -1), nodes.slice(1));
    expect(await expectSame(device, chain)).toBe(11);
  });

  test('a closure on a device ends between two squarings on request', async () => {
    const graph = digraphOf(3, [0, 1], [1, 2]);
    const stop = (): void => {
      throw new Error('enough');
    };
    await expect(closureOnDevice(device, graph, topologicalOrder(graph), stop)).rejects.toThrow('enough');
  });

  test('on a device reports the memory of the device', async () => {
    const small = {
      ...device,
      device: { limits: { maxBufferSize: 1000, maxStorageBufferBindingSize: 1000 } } as unknown as GPUDevice,
    };
    const graph = digraphOf(1, [], []);
    await expect(closureOnDevice(small, graph, topologicalOrder(graph))).rejects.toThrow(
      'the matrix needs 32768 bytes, but the device has room for 1000',
    );
  });

  test('a software device is not a GPU', async () => {
    if (device.isSoftware) expect(await openDevice('hardware')).toMatch(/is a software device/);
    else expect(await openDevice('hardware')).toMatchObject({ isSoftware: false });
  });
});
