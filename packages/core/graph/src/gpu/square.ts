/** Rows, and words of 32 columns, that one workgroup computes. A matrix consists of whole tiles. */
export const TILE_ROWS = 64;
export const TILE_WORDS = 16;

/**
 * Squares a matrix of bits whose ones are above the diagonal: next = now ∨ now · now. A workgroup computes a tile of 64
 * rows and 512 columns. It iterates over the intermediate nodes k between its first row and its last column, 32 at a
 * time, and keeps the bits of its rows for these k, and rows k of its columns, in workgroup memory. Every thread
 * computes four rows of one word.
 */
export const SQUARE = /* wgsl */ `
struct Shape { width: u32, firstTile: u32 }

@group(0) @binding(0) var<storage, read> now: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;
@group(0) @binding(2) var<storage, read_write> changed: atomic<u32>;
@group(0) @binding(3) var<uniform> shape: Shape;

var<workgroup> rowBits: array<u32, ${TILE_ROWS}>;
var<workgroup> middles: array<u32, ${32 * TILE_WORDS}>;

@compute @workgroup_size(${TILE_WORDS}, 16)
fn square(@builtin(workgroup_id) tile: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let width = shape.width;
  let firstRow = (shape.firstTile + tile.y) * ${TILE_ROWS}u;
  let firstWord = tile.x * ${TILE_WORDS}u;
  let lastWord = firstWord + ${TILE_WORDS}u;
  let thread = local.y * ${TILE_WORDS}u + local.x;
  var sum = vec4u(0u);
  for (var k = firstRow / 32u; k < lastWord; k++) {
    if (thread < ${TILE_ROWS}u) { rowBits[thread] = now[(firstRow + thread) * width + k]; }
    for (var half = 0u; half < 2u; half++) {
      let middle = local.y + 16u * half;
      middles[middle * ${TILE_WORDS}u + local.x] = now[(32u * k + middle) * width + firstWord + local.x];
    }
    workgroupBarrier();
    let rows = vec4u(rowBits[local.y], rowBits[local.y + 16u], rowBits[local.y + 32u], rowBits[local.y + 48u]);
    for (var bit = 0u; bit < 32u; bit++) {
      sum |= (vec4u(0u) - ((rows >> vec4u(bit)) & vec4u(1u))) & vec4u(middles[bit * ${TILE_WORDS}u + local.x]);
    }
    workgroupBarrier();
  }
  for (var quarter = 0u; quarter < 4u; quarter++) {
    let place = (firstRow + local.y + 16u * quarter) * width + firstWord + local.x;
    let before = now[place];
    next[place] = before | sum[quarter];
    if ((sum[quarter] & ~before) != 0u) { atomicStore(&changed, 1u); }
  }
}
`;
