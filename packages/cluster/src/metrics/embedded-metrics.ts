import { defined } from '@kubewright/kube';
import { type ApiServer, type ExtensionTransport, httpsExtensionTransport } from '@kubewright/apiserver';
import { type Clock, createClient, systemClock } from '@kubewright/client';
import { installMetrics, METRICS_SERVICE } from './install-metrics.ts';
import { createMetricsApi, type MetricsApi } from './metrics-api.ts';

export type EmbeddedMetricsOptions = {
  readonly clock?: Clock;
  /** See `MetricsApiOptions`. */
  readonly window?: string;
  /** How other extension servers are reached. Default: HTTPS. */
  readonly others?: ExtensionTransport;
};

export type EmbeddedMetrics = {
  /** `extensionTransport` of the server. */
  readonly transport: ExtensionTransport;
  /** Registers the metrics APIs with the server. */
  install(server: ApiServer): Promise<void>;
};

const SERVER_NAME = `${METRICS_SERVICE.name}.${METRICS_SERVICE.namespace}.svc`;

/** Serves the metrics APIs of an embedded server in this process, without a socket. */
export function embeddedMetrics(options: EmbeddedMetricsOptions = {}): EmbeddedMetrics {
  const { clock = systemClock, window, others = httpsExtensionTransport() } = options;
  let metrics: MetricsApi | undefined;
  return {
    transport: {
      call: (call) =>
        metrics !== undefined && call.serverName === SERVER_NAME ? metrics(call.path) : others.call(call),
      close: () => others.close(),
    },
    async install(server) {
      const transport = server.transport();
      metrics = createMetricsApi({ transport, clock, ...defined({ window }) });
      await installMetrics(createClient(transport));
    },
  };
}
