// A webhook server on the runtime, built, in a process of its own: tells its port and ends on SIGTERM.
import { createClient, createTransport } from '@kubewright/client';
import { createManager, defaultingWebhook, denial, validatingWebhook } from '@kubewright/runtime';

/** As what is written for a ConfigMap. */
const withOwner = ({ data, ...map }) => ({ ...map, data: Object.assign({}, data, { owner: 'nobody' }) });

async function serve({ url, caCert, token, configurations }) {
  const transport = createTransport({ url, ca: caCert, token });
  const manager = createManager({
    client: createClient(transport),
    webhooks: {
      port: 0,
      host: '127.0.0.1',
      certificates: {
        secret: { namespace: 'default', name: 'bench-certificates' },
        configurations,
        hosts: ['127.0.0.1'],
      },
      onListening: (port) => process.send({ port }),
    },
  });
  const server = manager.webhookServer();
  server.register('/default', defaultingWebhook({ default: withOwner }));
  server.register(
    '/validate',
    validatingWebhook({
      validateCreate(map) {
        if (map.data?.size === '11') throw denial('too large');
      },
    }),
  );
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  await manager.start(stop.signal);
  await transport.close();
  process.disconnect();
}

process.once('message', (message) => void serve(message));
