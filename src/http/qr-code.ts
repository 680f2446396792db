import { type Html, trustedHtml } from './html.ts';

/**
 * Draws a QR code as an SVG without its own styles, on white with a quiet zone of four modules. The library is loaded
 * with the first code.
 */
export async function drawQr(text: string): Promise<Html> {
  const { renderSVG } = await import('uqr');
  return trustedHtml(renderSVG(text, { border: 4, pixelSize: 4 }));
}
