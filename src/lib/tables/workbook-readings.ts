import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { type CellFormat, readCellFormats } from './cell-format.ts';
import { readSheet } from './read-sheet.ts';
import { readSharedTexts, type SharedTexts } from './shared-texts.ts';
import { mostRowsOf, type Reading, TableError } from './table.ts';
import { type Attributes, readXml } from './xml-events.ts';

/**
 * Returns the readings of an .xlsx: one for each visible sheet, in order. The parts of the archive are read in place,
 * and the sheets as streams. Throws `TableError`.
 */
export async function workbookReadings(file: FileHandle): Promise<Reading[]> {
  const workbook = await openWorkbook(file);
  const { sheets, dates1904 } = await listSheets(workbook);
  if (sheets.length === 0) throw broken('it has no sheet');
  // Read once, with the first sheet.
  let shared: Promise<Shared> | null = null;
  return sheets.map(({ name, part }) => {
    let bytes = 0;
    const size = workbook.parts.get(part)?.uncompressedSize ?? 0;
    return {
      dialect: { format: 'xlsx', sheet: name },
      done: () => (size === 0 ? 1 : Math.min(1, bytes / size)),
      rows: async function* () {
        bytes = 0;
        const count = (read: number) => {
          bytes += read;
        };
        try {
          const { texts, formats } = await (shared ??= readShared(workbook));
          const context = { texts, formats, dates1904, most: mostRowsOf(workbook.bytes) };
          yield* readSheet(await openPart(workbook, part), context, count);
        } catch (error) {
          throw readableError(error);
        }
      },
    };
  });
}

type Shared = { texts: SharedTexts; formats: CellFormat[] };

/**
 * Reads the parts one after the other: an error in one while another is awaited would be an unhandled rejection and end
 * the process.
 */
async function readShared(workbook: Workbook): Promise<Shared> {
  const texts = await readSharedTexts(await openPart(workbook, 'xl/sharedStrings.xml'));
  return { texts, formats: await readCellFormats(await openPart(workbook, 'xl/styles.xml')) };
}

/** `bytes`: of the file. `left`: how many further bytes its parts may unpack to. */
type Workbook = { zip: ZipFile; parts: ReadonlyMap<string, Entry>; bytes: number; left: number };

/** Excel's own files have a few dozen parts. */
const MOST_PARTS = 10_000;

async function openWorkbook(file: FileHandle): Promise<Workbook> {
  const parts = new Map<string, Entry>();
  try {
    const zip = await fromFdPromise(file.fd, { autoClose: false });
    for await (const entry of zip.eachEntry()) {
      parts.set(entry.fileName, entry);
      if (parts.size > MOST_PARTS) throw broken('it has too many parts');
    }
    const { size: bytes } = await file.stat();
    const left = READ_TWICE * (SMALL_PART + MOST_UNPACKED * bytes);
    if (parts.has('xl/workbook.xml')) return { zip, parts, bytes, left };
  } catch (error) {
    throw readableError(error);
  }
  throw new TableError('NOT_TEXT', 'This is a ZIP file and no .xlsx. Save the table as .xlsx, or as CSV in UTF-8.');
}

/**
 * A part of a real workbook unpacks to some twenty times its size. A part cannot unpack to more than its header states.
 */
const MOST_UNPACKED = 100;
const SMALL_PART = 16 * 1024 * 1024;
/** Some readers read the rows twice. */
const READ_TWICE = 2;

/**
 * Opens a part; null if an optional part is missing. All parts together may not unpack to too much either, because
 * thousands of sheets can share one part, and thousands of parts the same bytes.
 */
async function openPart(workbook: Workbook, name: string): Promise<Readable | null> {
  const entry = workbook.parts.get(name);
  if (entry === undefined) return null;
  const { compressedSize, uncompressedSize } = entry;
  workbook.left -= uncompressedSize;
  if (uncompressedSize > SMALL_PART + MOST_UNPACKED * compressedSize || workbook.left < 0)
    throw broken('a part of it unpacks to too much');
  return workbook.zip.openReadStreamPromise(entry);
}

type Sheets = { sheets: { name: string; part: string }[]; dates1904: boolean };

async function listSheets(workbook: Workbook): Promise<Sheets> {
  const targets = new Map<string, string>();
  const sheets: { name: string; id: string }[] = [];
  let dates1904 = false;
  const onPart = (element: string, { Id = '', Target = '' }: Attributes) => {
    if (element === 'Relationship') targets.set(Id, Target);
    if (targets.size > MOST_PARTS) throw broken('it has too many parts');
  };
  const onSheet = (element: string, attributes: Attributes) => {
    if (element === 'workbookPr') dates1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
    if (element === 'sheet' && (attributes.state ?? 'visible') === 'visible') {
      if (sheets.length === MOST_PARTS) throw broken('it has too many sheets');
      sheets.push({ name: attributes.name ?? '', id: attributes['r:id'] ?? attributes.id ?? '' });
    }
  };
  try {
    await readXml(await openPart(workbook, 'xl/_rels/workbook.xml.rels'), { onOpen: onPart });
    await readXml(await openPart(workbook, 'xl/workbook.xml'), { onOpen: onSheet });
  } catch (error) {
    throw readableError(error);
  }
  const found = sheets.map(({ name, id }) => ({ name, part: partOf(targets.get(id) ?? '') }));
  // A chart sheet has no rows.
  return {
    sheets: found.filter(({ part }) => part.startsWith('xl/worksheets/') && workbook.parts.has(part)),
    dates1904,
  };
}

function partOf(target: string): string {
  return target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`;
}

function broken(why: string): TableError {
  return new TableError(
    'BROKEN_WORKBOOK',
    `This .xlsx cannot be read: ${why}. Open it in a spreadsheet and save it anew.`,
  );
}

/** Returns an error without the libraries' message, which quotes the file. */
function readableError(error: unknown): unknown {
  if (error instanceof TableError || (error as NodeJS.ErrnoException).syscall !== undefined) return error;
  return broken('a part of it is damaged');
}
