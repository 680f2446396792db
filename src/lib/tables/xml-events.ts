import type { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';

export type Attributes = Readonly<Record<string, string>>;

/** Names come without their prefix: some programs write `x:row` for `row`. */
export type XmlHandlers = {
  onOpen?: (element: string, attributes: Attributes) => void;
  onText?: (text: string) => void;
  onClose?: (element: string) => void;
};

/** In so many bytes some element begins: the parser holds what stands between two in memory. */
const LONGEST_BETWEEN = 1024 * 1024;

/** Reads an XML part to its end, as it comes; nothing where there is no part. */
export async function readXml(part: Readable | null, handlers: XmlHandlers): Promise<void> {
  for await (const _ of xmlChunks(part, handlers));
}

/** The same, and stops after each chunk, with its size, for a caller who takes what was read so far. */
export async function* xmlChunks(part: Readable | null, handlers: XmlHandlers): AsyncGenerator<number> {
  if (part === null) return;
  const { onOpen, onText, onClose } = handlers;
  // Of a document type, with entities of its own, it reads nothing.
  const parser = new SaxesParser();
  let between = 0;
  parser.on('opentag', ({ name, attributes }) => {
    between = 0;
    onOpen?.(localName(name), attributes);
  });
  if (onText !== undefined) parser.on('text', onText);
  if (onClose !== undefined) parser.on('closetag', ({ name }) => onClose(localName(name)));
  parser.on('error', (error) => {
    throw error;
  });
  const decoder = new TextDecoder();
  for await (const chunk of part as AsyncIterable<Buffer>) {
    between += chunk.length;
    if (between > LONGEST_BETWEEN) throw new Error('A part of a workbook goes on without an element');
    parser.write(decoder.decode(chunk, { stream: true }));
    yield chunk.length;
  }
  parser.close();
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}
