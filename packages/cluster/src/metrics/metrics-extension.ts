import type { ExtensionTransport } from '@kubewright/apiserver';
import { METRICS_SERVICE } from './install-metrics.ts';
import type { MetricsApi } from './metrics-api.ts';

const SERVER_NAME = `${METRICS_SERVICE.name}.${METRICS_SERVICE.namespace}.svc`;

/** Answers for the metrics APIs in this process, without a socket; other extension servers are reached by `others`. */
export function metricsExtension(metrics: () => MetricsApi, others: ExtensionTransport): ExtensionTransport {
  return {
    call: (call) => (call.serverName === SERVER_NAME ? metrics()(call.path) : others.call(call)),
    close: () => others.close(),
  };
}
