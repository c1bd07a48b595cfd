import { http2Transport } from '../../test/support/http2-transport.ts';
import { findServers } from '../../tools/assets/find.mjs';
import type { Comparison } from '../comparison.ts';
import { type Rates, measure } from './load.ts';
import { type BenchServer, startEmbedded, startKubeApiServer } from './servers.ts';

const SIZE = { objects: 1000, gets: 5000, lists: 64 };
const WARM_UP = { objects: 100, gets: 500, lists: 5 };

type Measured = { readonly ready: number; readonly idleRss: number; readonly loadedRss: number } & Rates;

async function load(server: BenchServer, size: typeof SIZE): Promise<Rates> {
  const transport = http2Transport(server.url, server.caCert, server.token);
  try {
    return await measure(transport, size);
  } finally {
    await transport.close();
  }
}

/** Each server serves alone: two cores are not shared between rivals. */
async function run(start: () => Promise<BenchServer>): Promise<Measured> {
  const first = await start();
  try {
    await load(first, WARM_UP);
  } finally {
    await first.stop();
  }
  const server = await start();
  try {
    const idleRss = server.rss();
    const rates = await load(server, SIZE);
    return { ready: server.readyMs, idleRss, loadedRss: server.rss(), ...rates };
  } finally {
    await server.stop();
  }
}

const MB = 1024 * 1024;

/** The embedded server beside etcd and kube-apiserver, over HTTPS with the same client, 32 calls at a time. */
export async function benchApiServer(): Promise<Comparison> {
  const assets = findServers();
  if (assets === undefined)
    throw new Error('no etcd and kube-apiserver: npm run assets, or set KUBEBUILDER_ASSETS');
  const real = await run(() => startKubeApiServer(assets));
  const ours = await run(startEmbedded);
  const row = (
    name: string,
    unit: string,
    key: keyof Measured,
    target: number,
    better: 'less' | 'more',
    scale = 1,
  ) => ({
    name,
    unit,
    ours: ours[key] / scale,
    theirs: real[key] / scale,
    target,
    better,
  });
  return {
    title: 'embedded API server beside etcd + kube-apiserver',
    rows: [
      row('ready', 'ms', 'ready', 1 / 20, 'less'),
      row('memory when ready', 'MB', 'idleRss', 1 / 3, 'less', MB),
      row('memory after load', 'MB', 'loadedRss', 1 / 3, 'less', MB),
      row('create', '/s', 'create', 2, 'more'),
      row('get', '/s', 'get', 1.5, 'more'),
      row('apply', '/s', 'apply', 3, 'more'),
      row('list of 1000', '/s', 'list', 2, 'more'),
    ],
  };
}
