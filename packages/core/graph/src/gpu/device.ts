/** Finds a compute device: the browser's WebGPU, or the package `webgpu` in Node. */

/** `hardware` excludes software devices, because their times say nothing about a GPU. */
export type DeviceKind = 'hardware' | 'any';

export interface GraphicsDevice {
  readonly name: string;
  /** Whether the device is emulated on the CPU. */
  readonly isSoftware: boolean;
  readonly device: GPUDevice;
}

/** Returns a device, or an explanation of why there is none with a remedy. */
export async function openDevice(kind: DeviceKind): Promise<GraphicsDevice | string> {
  const gpu = await findGpu();
  if (typeof gpu === 'string') return gpu;
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) return 'no GPU: WebGPU finds no adapter (in Node on Linux it needs the Vulkan loader, libvulkan1)';
  const { info } = adapter;
  const name = nameOf(info);
  const isSoftware = info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe/i.test(`${info.architecture} ${name}`);
  if (isSoftware && kind === 'hardware') return `no GPU: ${name} is a software device; device=any accepts it`;
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } });
  return { name, isSoftware, device };
}

/** Names the device, and its driver if WebGPU reveals it: browsers reveal only the vendor and the architecture. */
export function nameOf({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  const name = device || [vendor, architecture].filter((word) => word !== '').join(' ') || 'unnamed device';
  return description === '' ? name : `${name} (${description})`;
}

async function findGpu(): Promise<GPU | string> {
  const own = (globalThis as { readonly navigator?: { readonly gpu?: GPU } }).navigator?.gpu;
  if (own !== undefined) return own;
  let dawn: Dawn;
  try {
    dawn = (await import(/* @vite-ignore */ PACKAGE)) as Dawn;
  } catch {
    return 'no WebGPU: run npm install webgpu, an optional package of 130 MB';
  }
  Object.assign(globalThis, dawn.globals); // defines GPUBufferUsage and similar globals
  opened ??= dawn.create([]);
  return opened;
}

interface Dawn {
  create(flags: readonly string[]): GPU;
  readonly globals: object;
}

const PACKAGE = 'webgpu'; // a variable, so that bundlers omit the package

/** Keeps Dawn alive: it ends with the last reference to it, and then devices no longer respond. */
let opened: GPU | null = null;
