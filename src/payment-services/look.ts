import { contrast, mix, moveUntil, readColour } from '../lib/colour.ts';
import { type ImageFile, readImageFile } from '../lib/image-file.ts';

/** The look of a merchant's pages, in addition to its name. Null: not set. */
export type Look = {
  /** `#rrggbb`, for buttons and links. */
  colour: string | null;
  /** https address. */
  site: string | null;
  /** E-mail address, telephone or https address. */
  contact: string | null;
  legalName: string | null;
  /** `76111222-8`, checked by the caller. */
  rut: string | null;
  /** https address of the terms of sale. */
  terms: string | null;
  logo: Logo | null;
};

/** A valid logo file. Its name is the SHA-256 of its bytes. */
export type Logo = ImageFile & { sha256: string };

export const NO_LOOK: Look = {
  colour: null,
  site: null,
  contact: null,
  legalName: null,
  rut: null,
  terms: null,
  logo: null,
};

const MOST_LOGO_BYTES = 64 * 1024;
const LEAST_LOGO_SIDE = 32;
const MOST_LOGO_SIDE = 1024;

const WHITE = '#ffffff';
const DARK_SHEET = '#1b1e28';
const DARK_INK = '#14193a';
/** The contrast of readable text by WCAG 2.2 AA. */
const READABLE = 4.5;

/** Why a part of a look is refused, in both languages. */
export type LookRefusal = { readonly en: string; readonly es: string };

/** Returns a colour that is readable on the page, or why it is refused. */
export function checkColour(text: string): { colour: string } | { refusal: LookRefusal } {
  const colour = readColour(text);
  if (colour === null) {
    const shown = text.slice(0, 20);
    return refused(
      `${shown} is not a colour: write # and six hexadecimal digits, such as #1f6f4a.`,
      `${shown} no es un color: escribe # y seis dígitos hexadecimales, como #1f6f4a.`,
    );
  }
  const ratio = contrast(colour, WHITE);
  if (ratio >= READABLE) return { colour };
  const darker = moveUntil(colour, '#000000', WHITE, READABLE);
  return refused(
    `${colour} has a contrast of ${ratio.toFixed(1)} with white, and links and buttons need ${READABLE}: ${darker} would do.`,
    `${colour} tiene un contraste de ${decimalComma(ratio)} con el blanco, y los enlaces y botones necesitan ${decimalComma(READABLE)}: ${darker} sirve.`,
  );
}

/** Returns a logo that the pages can show, or why it is refused. */
export function checkLogo(bytes: Buffer): { image: ImageFile } | { refusal: LookRefusal } {
  if (bytes.length > MOST_LOGO_BYTES) {
    return refused(
      `The logo has ${bytes.length} bytes, and at most ${MOST_LOGO_BYTES} are taken: make it smaller.`,
      `El logo tiene ${bytes.length} bytes y se aceptan ${MOST_LOGO_BYTES} como máximo: hazlo más chico.`,
    );
  }
  const image = readImageFile(bytes);
  if (image === null) {
    return refused(
      'The logo is not a PNG, JPEG or WebP file by its first bytes. SVG is not taken: it can carry scripts.',
      'El logo no es un archivo PNG, JPEG ni WebP según sus primeros bytes. SVG no se acepta: puede traer programas.',
    );
  }
  const isOdd = [image.width, image.height].some((side) => side < LEAST_LOGO_SIDE || side > MOST_LOGO_SIDE);
  if (!isOdd) return { image };
  return refused(
    `The logo has ${image.width} by ${image.height} pixels; each side has ${LEAST_LOGO_SIDE} to ${MOST_LOGO_SIDE}.`,
    `El logo tiene ${image.width} por ${image.height} píxeles; cada lado tiene de ${LEAST_LOGO_SIDE} a ${MOST_LOGO_SIDE}.`,
  );
}

function refused(en: string, es: string): { refusal: LookRefusal } {
  return { refusal: { en, es } };
}

function decimalComma(number: number): string {
  return number.toFixed(1).replace('.', ',');
}

/** Makes the style sheet of a colour. In light mode it is the accent; in dark mode a lighter colour is. */
export function lookStyle(colour: string): string {
  const light = moveUntil(colour, WHITE, DARK_SHEET, READABLE);
  const onLight = contrast(DARK_INK, light) >= READABLE ? DARK_INK : WHITE;
  return `:root{--accent:${colour};--accent-strong:${mix(colour, '#000000', 0.18)};--on-accent:${WHITE}}
@media (prefers-color-scheme:dark){:root{--accent:${light};--accent-strong:${mix(light, WHITE, 0.25)};--on-accent:${onLight}}}
`;
}
