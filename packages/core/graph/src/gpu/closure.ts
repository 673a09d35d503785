import { type Adjacency, positions } from '../index.ts';
import type { GraphicsDevice } from './device.ts';
import { SQUARE, TILE_ROWS, TILE_WORDS } from './square.ts';

/** Reachability between nodes by at least one edge, computed by the device, in host memory. */
export interface DeviceMatrix {
  has(from: number, to: number): boolean;
  readonly squarings: number;
}

/** Called before each squaring; may throw, which ends the computation. */
export type Squaring = (words: number) => void;

/**
 * Computes the closure of an acyclic graph as in Cobra: the matrix of its edges is squared until it stops growing.
 * Nodes are in topological order, so all ones are above the diagonal and only a sixth of the products is needed. Throws
 * RangeError if the device lacks memory.
 */
export async function closureOnDevice(
  { device }: GraphicsDevice,
  graph: Adjacency,
  order: Int32Array,
  squaring: Squaring = () => {},
): Promise<DeviceMatrix> {
  const position = positions(order, graph.numNodes);
  const width = Math.ceil(graph.numNodes / (32 * TILE_WORDS)) * TILE_WORDS; // words per row
  const height = 32 * width; // a whole number of tiles of 64 rows
  const bytes = 4 * width * height;
  const room = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
  if (bytes > room) throw new RangeError(`the matrix needs ${bytes} bytes, but the device has room for ${room}`);
  const matrix = new SquareMatrix(device, width, edgeBits(graph, position, width, height));
  let squarings = 0;
  try {
    do squaring(width * height);
    while ((await matrix.square()) && ++squarings < 32);
    const words = await matrix.read();
    const has = (from: number, to: number): boolean => {
      const column = position[to];
      return ((words[position[from] * width + (column >>> 5)] >>> (column & 31)) & 1) === 1;
    };
    return { has, squarings };
  } finally {
    matrix.destroy();
  }
}

function edgeBits({ numNodes, start, target }: Adjacency, position: Int32Array, width: number, height: number) {
  const words = new Uint32Array(width * height);
  for (let node = 0; node < numNodes; node++) {
    const row = position[node] * width;
    for (let i = start[node]; i < start[node + 1]; i++) {
      const column = position[target[i]];
      words[row + (column >>> 5)] |= 1 << (column & 31);
    }
  }
  return words;
}

/** Compiling the shader takes a second on a software device, so it is done only once. */
function pipelineOf(device: GPUDevice): GPUComputePipeline {
  let pipeline = pipelines.get(device);
  if (pipeline === undefined) {
    const module = device.createShaderModule({ code: SQUARE });
    pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'square' } });
    pipelines.set(device, pipeline);
  }
  return pipeline;
}

const pipelines = new WeakMap<GPUDevice, GPUComputePipeline>();

/** A matrix on a device, in two buffers that alternate. */
class SquareMatrix {
  readonly #device: GPUDevice;
  readonly #width: number;
  readonly #pipeline: GPUComputePipeline;
  readonly #changed: GPUBuffer;
  readonly #answer: GPUBuffer; // copy of `changed` that the host can read
  #now: GPUBuffer;
  #next: GPUBuffer;

  constructor(device: GPUDevice, width: number, words: Uint32Array<ArrayBuffer>) {
    this.#device = device;
    this.#width = width;
    this.#pipeline = pipelineOf(device);
    const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    this.#now = device.createBuffer({ size: words.byteLength, usage: STORAGE | COPY_SRC | COPY_DST });
    this.#next = device.createBuffer({ size: words.byteLength, usage: STORAGE | COPY_SRC });
    this.#changed = device.createBuffer({ size: 4, usage: STORAGE | COPY_SRC | COPY_DST });
    this.#answer = device.createBuffer({ size: 4, usage: MAP_READ | COPY_DST });
    device.queue.writeBuffer(this.#now, 0, words);
  }

  /** Squares the matrix; returns false if that adds nothing. */
  async square(): Promise<boolean> {
    const device = this.#device;
    const tiles = this.#width / TILE_WORDS;
    const rowTiles = (32 * this.#width) / TILE_ROWS;
    device.queue.writeBuffer(this.#changed, 0, new Uint32Array(1));
    // Drivers may abort work that takes seconds, so large matrices are squared one band of rows at a time.
    const band = Math.max(1, Math.floor(BAND / (tiles * tiles)));
    for (let first = 0; first < rowTiles; first += band)
      this.#squareRows(first, Math.min(band, rowTiles - first), tiles);
    const copy = device.createCommandEncoder();
    copy.copyBufferToBuffer(this.#changed, 0, this.#answer, 0, 4);
    device.queue.submit([copy.finish()]);
    await this.#answer.mapAsync(GPUMapMode.READ);
    const [changed] = new Uint32Array(this.#answer.getMappedRange());
    this.#answer.unmap();
    [this.#now, this.#next] = [this.#next, this.#now];
    return changed === 1;
  }

  #squareRows(firstTile: number, rowTiles: number, tiles: number): void {
    const device = this.#device;
    const shape = device.createBuffer({ size: 8, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(shape, 0, Uint32Array.of(this.#width, firstTile));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(this.#pipeline);
    const buffers = [this.#now, this.#next, this.#changed, shape];
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    pass.setBindGroup(0, device.createBindGroup({ layout: this.#pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(tiles, rowTiles);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  async read(): Promise<Uint32Array> {
    const size = this.#now.size;
    const host = this.#device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = this.#device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.#now, 0, host, 0, size);
    this.#device.queue.submit([encoder.finish()]);
    await host.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(host.getMappedRange()).slice();
    host.destroy();
    return words;
  }

  destroy(): void {
    for (const buffer of [this.#now, this.#next, this.#changed, this.#answer]) buffer.destroy();
  }
}

/** Products of tiles per submission: about ten milliseconds on a GPU. */
const BAND = 1 << 16;
