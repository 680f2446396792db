// Sends traces to the collector at OTEL_EXPORTER_OTLP_ENDPOINT; without that setting it does nothing.
//
// Paths and queries are left out: the link of a payer's page is a secret, and so may be what a callback's address holds.
import { register } from 'node:module';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT) {
  // What is imported, such as pg, can only be watched by a hook that is there before it.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  start();
}

function start() {
  const resource = resourceFromAttributes({ 'service.name': 'rubrica' }).merge(detectResources({ detectors: [envDetector] }));
  const provider = new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
  provider.register();
  registerInstrumentations({
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        startIncomingSpanHook: ({ url }) => ({ 'url.path': firstPart(url), 'url.query': '' }),
      }),
      new UndiciInstrumentation({
        startSpanHook: ({ origin }) => ({ 'url.full': String(origin), 'url.path': '', 'url.query': '' }),
      }),
      // Without a parent it is the worker that looks whether there is work, four times a second.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  process.once('SIGTERM', () => void provider.forceFlush().catch(() => {}));
}

/** `/pay` of `/pay/SECRET?method=…`. */
function firstPart(url) {
  return `/${url.split(/[/?#]/, 2)[1]}`;
}
