import { MISLEADING } from '../lib/misleading-text.ts';
import { checkColour, type Look, type LookRefusal } from './look.ts';

/** The parts that are read here. The caller reads the RUT, and the logo is a file. */
export type LookText = Exclude<keyof Look, 'logo' | 'rut'>;

type Reading = { value: string } | { refusal: LookRefusal };

/** Reads a person's text for a part of a look, or returns why it is refused. */
export function readLookText(name: LookText, text: string): Reading {
  const typed = text.trim();
  switch (name) {
    case 'colour':
      return readLookColour(typed);
    case 'site':
      return readHttps(typed, { en: 'The address of the shop', es: 'La dirección de la tienda' });
    case 'terms':
      return readHttps(typed, { en: 'The address of the terms', es: 'La dirección de los términos' });
    case 'contact':
      return readContact(typed);
    case 'legalName':
      return readLine(typed, { en: 'The legal name', es: 'La razón social' });
  }
}

function readLookColour(text: string): Reading {
  const checked = checkColour(text);
  return 'refusal' in checked ? checked : { value: checked.colour };
}

/** Payers follow the link, so it must be https. */
function readHttps(text: string, { en, es }: LookRefusal): Reading {
  const url = URL.parse(text);
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === '' && text.length <= 200;
  if (isPlain) return { value: url.href };
  const example = 'https://casaverde.example.cl';
  return {
    refusal: {
      en: `${en} is an https address of at most 200 characters, such as ${example}.`,
      es: `${es} comienza con https y tiene 200 letras como máximo, como ${example}.`,
    },
  };
}

function readContact(text: string): Reading {
  const line = readLine(text, { en: 'The contact', es: 'El contacto' });
  if ('refusal' in line || /^[^\s@]+@[^\s@]+$/.test(text) || /^\+?[\d ()-]{6,20}$/.test(text)) return line;
  if (text.startsWith('https://')) return readHttps(text, { en: 'The contact', es: 'El contacto' });
  return {
    refusal: {
      en: 'The contact is an e-mail address, a telephone or an https address.',
      es: 'El contacto es un correo, un teléfono o una dirección https.',
    },
  };
}

function readLine(text: string, { en, es }: LookRefusal): Reading {
  if (text !== '' && text.length <= 100 && !MISLEADING.test(text)) return { value: text };
  return {
    refusal: {
      en: `${en} has 1 to 100 characters, without line breaks.`,
      es: `${es} tiene de 1 a 100 letras, sin saltos de línea.`,
    },
  };
}
