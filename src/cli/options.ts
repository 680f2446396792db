import { Option } from 'commander';
import { ENVIRONMENTS } from '../payment-services/payment-service.ts';
import { invalidOption } from './print.ts';

/** `--environment development|production`, which must be given. */
export function environmentOption(): Option {
  return new Option('--environment <environment>', 'whose tokens').choices([...ENVIRONMENTS]).makeOptionMandatory();
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `24h`, `30m`, `90s`, `7d` or `0`, in milliseconds. */
export function readDuration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (match !== null) return Number(match[1]) * (UNITS[match[2] as string] as number);
  if (text === '0') return 0;
  throw invalidOption(`${text} is no duration; write 24h, 30m, 90s, 7d or 0.`);
}

/** All of standard input. */
export async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
