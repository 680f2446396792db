import { writeFileSync } from 'node:fs';

/** Loaded before a program, it writes the most memory that the program had, in bytes, into the file that BENCH_PEAK names. */
process.on('exit', () => {
  const file = process.env['BENCH_PEAK'];
  if (file !== undefined) writeFileSync(file, String(process.resourceUsage().maxRSS * 1024));
});
