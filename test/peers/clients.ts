import { type Client as KubeClient, createClient, createTransport, systemClock } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { connectAmqp } from '@kubewright/migratable/amqp';
import { connectJetStream } from '@kubewright/migratable/jetstream';
import { s3Folder } from '../../packages/operators/src/capture/export/s3-folder.ts';
import { grpcGridProbe } from '../../packages/operators/src/classes/grid/grpc-grid-probe.ts';
import { prometheus } from '../../packages/operators/src/classes/load/prometheus.ts';
import { postReport } from '../../packages/operators/src/drift/reports/post-report.ts';
import { RegistryImage } from '../../packages/operators/src/migration/agent/registry-image.ts';
import { httpNodeAgents } from '../../packages/operators/src/migration/checkpoints/http-node-agents.ts';

/** A client of ours. */
export type Client = {
  /** Whether its server has a certificate, and offers HTTP/2. */
  readonly isSecure?: true;
  /** The bytes that it may take of a response that has no end. */
  readonly most: number;
  /** Whether no connection is open after the call; others end when they are idle. */
  readonly keepsNone?: true;
  /** Makes a call to a server on the loopback that cannot succeed. */
  readonly call: (port: number) => Promise<unknown>;
};

const MB = 1024 * 1024;
/** What the kernel may hold of a connection. */
const KERNEL = 16 * MB;
const WAIT_MS = 3000;
const soon = (): AbortSignal => AbortSignal.timeout(WAIT_MS);

/** Everything that the manager, its agents, the command line and applications of the SDK connect to. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  RabbitMQ: {
    keepsNone: true,
    most: KERNEL,
    call: async (port) => use(connectAmqp({ url: `amqp://127.0.0.1:${port}` })),
  },
  'NATS JetStream': {
    keepsNone: true,
    most: KERNEL,
    call: async (port) => use(connectJetStream({ url: `nats://127.0.0.1:${port}` })),
  },
  'a data grid': { most: KERNEL, call: (port) => grpcGridProbe().ping(`127.0.0.1:${port}`, soon()) },
  Prometheus: {
    most: KERNEL + 4 * MB,
    call: (port) =>
      prometheus({ url: `http://127.0.0.1:${port}`, timeoutMs: WAIT_MS, clock: systemClock }).query(
        'up',
        new AbortController().signal,
      ),
  },
  'a receiver of reports': {
    keepsNone: true,
    most: KERNEL,
    call: (port) =>
      postReport(
        { url: new URL(`http://127.0.0.1:${port}`), timeoutMs: WAIT_MS, retryCount: 0, retryIntervalMs: 0 },
        { id: 'a', at: new Date(0), body: '{}' },
        new AbortController().signal,
      ).then(() => {
        // A receiver that responds with something else has received it.
        throw new TypeError('acknowledged');
      }),
  },
  'the agent of a node': {
    keepsNone: true,
    most: KERNEL,
    call: (port) =>
      httpNodeAgents({ url: `http://127.0.0.1:${port}`, token: 't' }, systemClock).facts('node'),
  },
  'a registry of images': {
    keepsNone: true,
    most: KERNEL,
    call: (port) => new RegistryImage(`127.0.0.1:${port}/a:f0-1`, { idleMs: WAIT_MS }).push(ARCHIVE),
  },
  'a store that speaks S3': {
    most: KERNEL + 64 * MB,
    call: async (port) => {
      const env = {
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'secret',
        AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      };
      for await (const path of s3Folder('s3://bucket/prefix', env, { silentMs: WAIT_MS }).list())
        throw new TypeError(path);
      throw new TypeError('an empty list');
    },
  },
  'an API server over HTTP/1.1, read': {
    most: KERNEL + 512 * MB,
    call: (port) => kube(`http://127.0.0.1:${port}`, read),
  },
  'an API server over HTTP/1.1, watched': {
    most: KERNEL + 32 * MB,
    call: (port) => kube(`http://127.0.0.1:${port}`, watch),
  },
  'an API server that speaks no TLS': {
    most: KERNEL,
    call: (port) => kube(`https://127.0.0.1:${port}`, read),
  },
  'an API server over HTTP/2, read': {
    isSecure: true,
    most: KERNEL,
    call: (port) => kube(`https://127.0.0.1:${port}`, read),
  },
  'an API server over HTTP/2, watched': {
    isSecure: true,
    most: KERNEL,
    call: (port) => kube(`https://127.0.0.1:${port}`, watch),
  },
};

async function use(connection: {
  declareQueue(name: string): Promise<void>;
  close(): Promise<void>;
}): Promise<void> {
  try {
    await connection.declareQueue('orders');
  } finally {
    await connection.close();
  }
}

async function kube(url: string, call: (client: KubeClient) => Promise<unknown>): Promise<void> {
  const transport = createTransport({ url, insecureSkipTlsVerify: true, connectTimeoutMs: WAIT_MS });
  try {
    await call(createClient(transport));
  } finally {
    await transport.close();
  }
}

const read = (client: KubeClient): Promise<unknown> =>
  client.get(corev1.pods, { namespace: 'default', name: 'a' }, { signal: soon() });

async function watch(client: KubeClient): Promise<void> {
  for await (const event of client.watch(corev1.pods, { signal: soon() })) throw new TypeError(event.type);
  // A watch ends where the signal ends it.
  throw new TypeError('ended');
}

const ARCHIVE = {
  sha256: '0'.repeat(64),
  bytes: 3,
  read: async function* () {
    yield Buffer.from('abc');
  },
};
