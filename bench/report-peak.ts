import { readFileSync, writeFileSync } from 'node:fs';

/** Loaded before a program, it writes the most memory that the program had, in bytes, into the file that BENCH_PEAK names. */
process.on('exit', () => {
  const file = process.env['BENCH_PEAK'];
  if (file !== undefined) writeFileSync(file, String(peak() * 1024));
});

/** In KiB. Linux counts into `maxRSS` what the parent had when it started the program, so there it is read where that is left out. */
function peak(): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}
