import type { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';

export type Attributes = Readonly<Record<string, string>>;

/** Names come without their prefix: some programs write `x:row` for `row`. */
export type XmlHandlers = {
  onOpen?: (element: string, attributes: Attributes) => void;
  onText?: (text: string) => void;
  onClose?: (element: string) => void;
};

/** An element must begin within this many bytes: the parser buffers the text in between. */
const LONGEST_BETWEEN = 1024 * 1024;
/** A cell of a sheet is in its seventh element. The parser keeps every open one. */
const DEEPEST = 100;
/** A workbook's root has some ten. Tens of thousands in one element take long, while nothing else runs. */
const MOST_ATTRIBUTES = 100;

/** Reads an XML part to its end as a stream. Does nothing without a part. */
export async function readXml(part: Readable | null, handlers: XmlHandlers): Promise<void> {
  for await (const _ of xmlChunks(part, handlers));
}

/** Reads the same and yields the size of each chunk, for a caller who uses the content so far. */
export async function* xmlChunks(part: Readable | null, handlers: XmlHandlers): AsyncGenerator<number> {
  if (part === null) return;
  const { onOpen, onText, onClose } = handlers;
  // The parser ignores a document type and its entities.
  const parser = new SaxesParser();
  let between = 0;
  let depth = 0;
  let attributesSoFar = 0;
  parser.on('attribute', () => {
    if (++attributesSoFar > MOST_ATTRIBUTES) throw new Error('An element has too many attributes');
  });
  parser.on('opentag', ({ name, attributes }) => {
    between = 0;
    attributesSoFar = 0;
    if (++depth > DEEPEST) throw new Error('The elements of a part are nested too deeply');
    onOpen?.(localName(name), attributes);
  });
  if (onText !== undefined) {
    parser.on('text', onText);
    // Some programs write the text of a cell as a CDATA section.
    parser.on('cdata', onText);
  }
  parser.on('closetag', ({ name }) => {
    depth--;
    onClose?.(localName(name));
  });
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
