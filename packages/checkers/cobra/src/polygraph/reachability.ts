import { type RunContext, Stop } from '@isolab/contract';
import type { Digraph } from '@isolab/graph';
import { closureOnDevice, openDevice } from '@isolab/graph/gpu';
import { BitRows, type PruneOptions } from '@isolab/polygraph';
import type { CobraOptions } from './options.ts';

export type ReachabilityOptions = Pick<CobraOptions, 'reachability' | 'maxClosureBytes'>;

/** Returns the closure that pruning uses: rows of bits, or a GPU as published. */
export function closeWith(options: ReachabilityOptions, context: RunContext): NonNullable<PruneOptions['close']> {
  if (options.reachability !== 'cpu') return closeOnGpu(options, context);
  return (graph, order) => {
    requireMemory(graph.numNodes, options.maxClosureBytes);
    return new BitRows(graph, order, (steps) => context.tick(steps));
  };
}

/** Throws Stop if reachability would exceed its memory limit. */
export function requireMemory(numNodes: number, maxClosureBytes: number): void {
  const bytes = BitRows.bytesFor(numNodes);
  if (bytes <= maxClosureBytes) return;
  const detail = `the reachability of ${numNodes} nodes takes ${bytes} bytes, more than maxClosureBytes (${maxClosureBytes})`;
  throw new Stop('memory', detail);
}

function closeOnGpu({ reachability }: ReachabilityOptions, context: RunContext) {
  return async (graph: Digraph, order: Int32Array) => {
    context.stage('open device');
    const device = await openDevice(reachability === 'gpu' ? 'hardware' : 'any');
    if (typeof device === 'string') throw new Stop('unsupported', device);
    // The result names the device, because a time is meaningless without it.
    context.stage(`prune on ${device.name}`);
    if (device.isSoftware) context.count('softwareDevice', 1);
    try {
      const matrix = await closureOnDevice(device, graph, order, (words) => context.tick(words));
      context.count('squarings', matrix.squarings);
      return matrix;
    } catch (error) {
      if (error instanceof RangeError) throw new Stop('memory', error.message);
      throw error;
    } finally {
      device.device.destroy();
    }
  };
}
