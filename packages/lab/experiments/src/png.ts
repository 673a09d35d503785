/** Converts figures to PNG, for places that do not show SVG. The renderer is an optional dependency. */
import { BenchError } from './experiment/errors.ts';

type DrawPng = (svg: string) => Uint8Array;

/** Returns null if @resvg/resvg-js is not installed. */
export async function pngRenderer(
  load: () => Promise<Resvg> = () => import('@resvg/resvg-js'),
): Promise<DrawPng | null> {
  let resvg: Resvg;
  try {
    resvg = await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null;
    throw new BenchError(`@resvg/resvg-js is installed, but does not work here: ${(error as Error).message}`);
  }
  // Draws on white at twice the resolution of the drawing, for sharp print.
  return (svg) =>
    new resvg.Resvg(svg, {
      background: '#ffffff',
      fitTo: { mode: 'zoom', value: 2 },
      font: { defaultFontFamily: 'DejaVu Sans' },
    })
      .render()
      .asPng();
}

type Resvg = Pick<typeof import('@resvg/resvg-js'), 'Resvg'>;

export const PNG_ABSENT = 'PNG figures need @resvg/resvg-js, which is not installed: npm install @resvg/resvg-js';
