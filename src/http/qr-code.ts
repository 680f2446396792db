import { type Html, trustedHtml } from './html.ts';

/** A QR code as an SVG without styles of its own, on white with four modules around it, as scanners want it; the library is loaded with the first. */
export async function drawQr(text: string): Promise<Html> {
  const { renderSVG } = await import('uqr');
  return trustedHtml(renderSVG(text, { border: 4, pixelSize: 4 }));
}
