import type { Transport } from '@kubewright/kube';
import { Counter, type Registry } from 'prom-client';

/** Counts calls to the API server as client-go does: `rest_client_requests_total`. A request without a response has the code `<error>`. */
export function measureRequests(transport: Transport, registry: Registry, host: string): Transport {
  const total = new Counter({
    name: 'rest_client_requests_total',
    help: 'Calls to the API server by status code, method and host',
    labelNames: ['code', 'method', 'host'] as const,
    registers: [registry],
  });
  return {
    async request(request) {
      const { method } = request;
      try {
        const response = await transport.request(request);
        total.inc({ code: String(response.status), method, host });
        return response;
      } catch (error) {
        total.inc({ code: '<error>', method, host });
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
