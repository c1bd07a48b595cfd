import { setTimeout as delay } from 'node:timers/promises';
import { findMetrics } from '../../../tools/assets/find-metrics.mjs';
import { freePort } from '../../support/free-port.ts';
import { remoteWrite } from './remote-write.ts';
import { KEPT, type Source, type SourceProgram, type Write } from './source.ts';
import { type Started, startProgram } from '../../support/start-program.ts';

const REPLICAS = ['a', 'b'] as const;
/** Two replicas do not scrape at the same moment. */
const APART_MS = 5000;
/** The first sample: older than all that is played. */
const FIRST = Date.parse('2025-01-01T00:00:00Z');
const SEEN_MS = 60_000;

type Receiver = Started & { readonly grpc: number };

/** Two receivers that have the same samples under another label `replica`, and one that queries both: as one, and without the label in mind. */
export const thanos: SourceProgram = {
  name: 'Thanos',
  path: findMetrics('thanos'),
  missing: 'npm run assets:metrics',
  async start(path) {
    const receivers = await Promise.all(REPLICAS.map((replica) => startReceiver(path, replica)));
    const querier = await startQuerier(path, receivers);
    const writes = receivers.map(({ url }, index) => ({ url, earlierMs: index * APART_MS }));
    await untilSeen(querier.url, writes);
    const stop = async (): Promise<void> => {
      await Promise.all([querier, ...receivers].map((each) => each.stop()));
    };
    const source = (name: string, parameters: string): Source => ({
      name,
      url: querier.url,
      parameters,
      writes,
      forms: ['classic', 'native'],
      flush: async () => undefined,
      stop,
    });
    return [source('Thanos', ''), source('Thanos, both', '&dedup=false')];
  },
};

async function startReceiver(path: string, replica: string): Promise<Receiver> {
  const [grpc, write, capnproto] = [await freePort(), await freePort(), await freePort()];
  const started = await startProgram(path, '/-/ready', (port, folder) => [
    'receive',
    `--tsdb.path=${folder}/data`,
    `--tsdb.retention=${KEPT}`,
    `--label=replica="${replica}"`,
    `--http-address=127.0.0.1:${port}`,
    `--grpc-address=127.0.0.1:${grpc}`,
    `--remote-write.address=127.0.0.1:${write}`,
    `--receive.local-endpoint=127.0.0.1:${grpc}`,
    `--receive.capnproto-address=127.0.0.1:${capnproto}`,
  ]);
  return { ...started, grpc, url: `http://127.0.0.1:${write}/api/v1/receive` };
}

async function startQuerier(path: string, receivers: readonly Receiver[]): Promise<Started> {
  const grpc = await freePort();
  return await startProgram(path, '/-/ready', (port) => [
    'query',
    `--http-address=127.0.0.1:${port}`,
    `--grpc-address=127.0.0.1:${grpc}`,
    '--query.replica-label=replica',
    ...receivers.map((each) => `--endpoint=127.0.0.1:${each.grpc}`),
  ]);
}

/** Receivers take samples a moment after they are ready, and are asked each few seconds from when on they have some. */
async function untilSeen(url: string, writes: readonly Write[]): Promise<void> {
  const sample = { labels: { __name__: 'first' }, value: 1, at: FIRST };
  for (const write of writes) await until(() => remoteWrite(write.url, [sample]));
  const query = `${url}/api/v1/query?query=count(first)&dedup=false&time=${FIRST / 1000}`;
  await until(async () => {
    const text = await (await fetch(query)).text();
    if (!text.includes(`"${writes.length}"`))
      throw new TypeError(`Thanos does not see its receivers: ${text.slice(0, 300)}`);
  });
}

/** Resolves when the attempt does; rejects as it does at the end. */
async function until(attempt: () => Promise<void>): Promise<void> {
  const end = performance.now() + SEEN_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(100);
    }
  }
}
