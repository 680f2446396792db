import { readFileSync, writeFileSync } from 'node:fs';

/** Loaded before a program, it writes the program's peak memory in bytes into the file that BENCH_PEAK names. */
process.on('exit', () => {
  const file = process.env['BENCH_PEAK'];
  if (file !== undefined) writeFileSync(file, String(peak() * 1024));
});

/**
 * Returns the peak in KiB. On Linux `maxRSS` includes the parent's memory at the start, so another source is read
 * there.
 */
function peak(): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}
