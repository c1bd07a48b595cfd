import assert from 'node:assert/strict';
import { http2Transport } from '../../test/support/http2-transport.ts';
import { findServers } from '../../tools/assets/find.mjs';
import type { Comparison, ComparisonRow } from '../comparison.ts';
import { type LoadSize, measure, type Rate, type Rates, type Verb } from './load.ts';
import { type BenchServer, startEmbedded, startKubeApiServer } from './servers.ts';

const SIZE = { objects: 1000, gets: 5000, lists: 64 };
const WARM_UP = { objects: 100, gets: 500, lists: 5 };

type Measured = {
  readonly ready: number;
  readonly idleRss: number;
  readonly loadedRss: number;
  /** The first requests that the server handles, and those after as many more. */
  readonly cold: Rates;
  readonly warm: Rates;
};

async function load(server: BenchServer, namespace: string, size: LoadSize): Promise<Rates> {
  const transport = http2Transport(server.url, server.caCert, server.token);
  try {
    return await measure({ transport, cpu: () => server.cpu(), namespace }, size);
  } finally {
    await transport.close();
  }
}

/** Each server serves alone: two cores are not shared between rivals. The client has warmed up on another server. */
async function run(start: () => Promise<BenchServer>): Promise<Measured> {
  const first = await start();
  try {
    await load(first, 'bench', WARM_UP);
  } finally {
    await first.stop();
  }
  const server = await start();
  try {
    const idleRss = server.rss();
    const cold = await load(server, 'cold', SIZE);
    const loadedRss = server.rss();
    return { ready: server.readyMs, idleRss, loadedRss, cold, warm: await load(server, 'warm', SIZE) };
  } finally {
    await server.stop();
  }
}

const MB = 1024 * 1024;

/** How many times as quick as kube-apiserver we are to be. */
const TARGETS: Readonly<Record<Verb, number>> = { create: 2, get: 1.5, apply: 3, list: 2 };

/**
 * Rates of a server that has just started, of one that has been at work, and what a call takes of its cores: that
 * says which server does less where the client, or what else runs on the machine, sets the pace.
 */
function rateRows(ours: Measured, theirs: Measured): ComparisonRow[] {
  const rows = (
    title: (verb: string) => string,
    rates: 'cold' | 'warm',
    of: (rate: Rate) => number,
    unit: string,
  ): ComparisonRow[] =>
    Object.entries(TARGETS).map(([verb, target]) => ({
      name: title(verb === 'list' ? 'list of 1000' : verb),
      unit,
      ours: of(ours[rates][verb as Verb]),
      theirs: of(theirs[rates][verb as Verb]),
      ...(unit === '/s' ? { target, better: 'more' } : { target: 1 / target, better: 'less' }),
    }));
  return [
    ...rows(
      (verb) => verb,
      'cold',
      ({ perSecond }) => perSecond,
      '/s',
    ),
    ...rows(
      (verb) => `${verb}, server warm`,
      'warm',
      ({ perSecond }) => perSecond,
      '/s',
    ),
    ...rows(
      (verb) => `server CPU, ${verb}`,
      'cold',
      ({ serverCpu }) => serverCpu,
      'ms',
    ),
    ...rows(
      (verb) => `server CPU, ${verb}, warm`,
      'warm',
      ({ serverCpu }) => serverCpu,
      'ms',
    ),
  ];
}

/** The client is the same on both sides: its part is no part of a server's. */
function clientNote(measured: Measured): string {
  const parts = Object.entries(measured.warm).map(
    ([verb, { clientCpu }]) => `${verb} ${clientCpu.toFixed(2)}`,
  );
  return `client CPU (ms) beside the embedded server: ${parts.join(', ')}`;
}

/** The embedded server beside etcd and kube-apiserver, over HTTPS with the same client, 32 calls at a time. */
export async function benchApiServer(): Promise<Comparison> {
  const assets = findServers();
  assert(assets !== undefined, 'no etcd and kube-apiserver: npm run assets, or set KUBEBUILDER_ASSETS');
  const real = await run(() => startKubeApiServer(assets));
  const ours = await run(startEmbedded);
  const row = (
    name: string,
    unit: string,
    key: 'ready' | 'idleRss' | 'loadedRss',
    target: number,
    scale = 1,
  ): ComparisonRow => ({
    name,
    unit,
    ours: ours[key] / scale,
    theirs: real[key] / scale,
    target,
    better: 'less',
  });
  return {
    title: `embedded API server beside etcd + kube-apiserver (${clientNote(ours)})`,
    rows: [
      row('ready', 'ms', 'ready', 1 / 20),
      row('memory when ready', 'MB', 'idleRss', 1 / 3, MB),
      row('memory after load', 'MB', 'loadedRss', 1 / 3, MB),
      ...rateRows(ours, real),
    ],
  };
}
