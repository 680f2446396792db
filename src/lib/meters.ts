import { createRequire } from 'node:module';
import type * as PromClient from 'prom-client';

/**
 * The parts of prom-client in use. The whole library also loads a tracing API, a gateway and a cluster registry: a
 * tenth of a second of every start and every command.
 */
const load = createRequire(import.meta.url);

export type Registry = PromClient.Registry;
export const Registry: typeof PromClient.Registry = load('prom-client/lib/registry.js');
export const Counter: typeof PromClient.Counter = load('prom-client/lib/counter.js');
export const Gauge: typeof PromClient.Gauge = load('prom-client/lib/gauge.js');

/** All process metrics of prom-client except CPU time, which loads the tracing API. */
const OF_PROCESS = [
  'eventLoopLag',
  'gc',
  'heapSizeAndUsed',
  'heapSpacesSizeAndUsed',
  'osMemoryHeap',
  'processHandles',
  'processMaxFileDescriptors',
  'processOpenFileDescriptors',
  'processRequests',
  'processResources',
  'processStartTime',
  'version',
];

type Measure = (registry: Registry, options: { eventLoopMonitoringPrecision: number }) => void;

/** Starts to collect process metrics into a registry. Only for servers; a command ends before anybody reads metrics. */
export function measureProcess(registry: Registry): void {
  for (const name of OF_PROCESS)
    (load(`prom-client/lib/metrics/${name}.js`) as Measure)(registry, { eventLoopMonitoringPrecision: 10 });
  const countSeconds = (name: string, help: string, microseconds: (used: NodeJS.CpuUsage) => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(microseconds(process.cpuUsage()) / 1e6);
      },
    });
  countSeconds('process_cpu_user_seconds_total', 'Total user CPU time spent in seconds.', ({ user }) => user);
  countSeconds('process_cpu_system_seconds_total', 'Total system CPU time spent in seconds.', ({ system }) => system);
  countSeconds(
    'process_cpu_seconds_total',
    'Total user and system CPU time spent in seconds.',
    ({ user, system }) => user + system,
  );
}
