import type { Metric, Registry } from 'prom-client';

/** Records one response; `ms` is the time from the request head to the response. */
export type AnswerMeter = (route: string, status: number, ms: number) => void;

const BUCKET_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

type Answers = { byStatus: Map<number, number>; buckets: number[]; seconds: number; count: number };

type Value = { value: number; labels: Record<string, string | number>; metricName?: string };

/**
 * Registers a counter of responses by route and status, and a histogram of their times by route.
 *
 * The library's own metrics look up their labels with every response, which costs as much as reading a request. These
 * are plain numbers until somebody reads the metrics.
 */
export function createAnswerMeter(registry: Registry, counter: string, histogram: string): AnswerMeter {
  const routes = new Map<string, Answers>();
  const collect = (values: (route: string, answers: Answers) => Value[]) => () =>
    [...routes].flatMap(([route, answers]) => values(route, answers));
  register(registry, counter, 'counter', 'Answers given, by route and status', collect(countsOf));
  register(registry, histogram, 'histogram', 'Time from the request head to the answer', collect(timesOf(histogram)));
  return (route, status, ms) => {
    let answers = routes.get(route);
    if (answers === undefined) {
      answers = { byStatus: new Map(), buckets: BUCKET_SECONDS.map(() => 0), seconds: 0, count: 0 };
      routes.set(route, answers);
    }
    const seconds = ms / 1000;
    answers.byStatus.set(status, (answers.byStatus.get(status) ?? 0) + 1);
    answers.seconds += seconds;
    answers.count++;
    const bucket = BUCKET_SECONDS.findIndex((most) => seconds <= most);
    if (bucket >= 0) answers.buckets[bucket] = (answers.buckets[bucket] as number) + 1;
  };
}

function countsOf(route: string, { byStatus }: Answers): Value[] {
  return [...byStatus].map(([status, value]) => ({ value, labels: { route, status } }));
}

/** Prometheus buckets are cumulative. */
function timesOf(name: string): (route: string, answers: Answers) => Value[] {
  return (route, { buckets, seconds, count }) => {
    let below = 0;
    const cumulated = buckets.map((own, at) => {
      below += own;
      return { metricName: `${name}_bucket`, value: below, labels: { le: BUCKET_SECONDS[at] as number, route } };
    });
    return [
      ...cumulated,
      { metricName: `${name}_bucket`, value: count, labels: { le: '+Inf', route } },
      { metricName: `${name}_sum`, value: seconds, labels: { route } },
      { metricName: `${name}_count`, value: count, labels: { route } },
    ];
  };
}

/** A registry uses only these members of a metric. */
function register(registry: Registry, name: string, type: string, help: string, values: () => Value[]): void {
  const metric = { name, help, type, get: async () => ({ name, help, type, values: values() }), reset: () => {} };
  registry.registerMetric(metric as unknown as Metric);
}
