import { styleText } from 'node:util';

type Colour = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/**
 * Colours a text for a terminal. On other streams, and with NO_COLOR or TERM=dumb, the text stays as it is. FORCE_COLOR
 * colours it everywhere.
 */
export function paint(colour: Colour, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(colour, text, { stream });
}
