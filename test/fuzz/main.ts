import assert from 'node:assert/strict';
import { readOptions } from '../../tools/read-options.ts';
import { findServers } from '../../tools/assets/find.mjs';
import { startEmbeddedServer } from '../servers/embedded.ts';
import { startRealServer } from '../servers/real.ts';
import type { TestServer } from '../servers/test-server.ts';
import { http2Transport } from '../support/http2-transport.ts';
import { type Difference, type Episode, KIND_NAMES, type Servers, makeEpisode, play } from './episode.ts';
import { prepare } from './prepare.ts';
import { reportDifference } from './report.ts';
import { runEpisodes } from './run.ts';
import { shrink } from './shrink.ts';

const USAGE = `npm run fuzz -- [options]: random operations on the embedded server and on kube-apiserver, compared
  --ops N        operations in all (default 2000)
  --seed S       which ones (default: the time; it is printed)
  --kind K       only ${KIND_NAMES.join(', ')}
  --lanes N      objects at a time (default 16)
  --length N     operations per object (default 40)
  --https        reach the embedded server over HTTPS, not in process
  --replay A,B   one object with these operations, as a found difference prints them (needs --kind)
  --differences N  stop after so many (default 1)
  --no-shrink    show a difference as it was found
  --self-check   two real servers: what differs then is the fuzzer's fault`;

const { values } = readOptions(USAGE, {
  allowNegative: true,
  options: {
    ops: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kind: { type: 'string' },
    lanes: { type: 'string', default: '16' },
    length: { type: 'string', default: '40' },
    https: { type: 'boolean', default: false },
    replay: { type: 'string' },
    differences: { type: 'string', default: '1' },
    shrink: { type: 'boolean', default: true },
    'self-check': { type: 'boolean', default: false },
  },
});

async function startServers(): Promise<readonly [TestServer, TestServer]> {
  const assets = findServers();
  assert(assets !== undefined, 'no etcd and kube-apiserver: npm run assets, or set KUBEBUILDER_ASSETS');
  const other = values['self-check'] ? startRealServer(assets) : startEmbeddedServer();
  return Promise.all([other, startRealServer(assets)]);
}

async function showDifference(servers: Servers, episode: Episode, seen?: Difference): Promise<boolean> {
  const difference = (await play(servers, episode)) ?? seen;
  if (difference === undefined) return false;
  const shrunk =
    values.shrink && difference !== seen
      ? await shrink(servers, episode, difference)
      : { episode, difference };
  console.log(reportDifference(shrunk));
  return true;
}

async function replay(servers: Servers, seeds: string): Promise<boolean> {
  const { kind } = makeEpisode(0, 0, values.kind);
  const episode = { seed: 0, kind, operations: seeds.split(',').map(Number) };
  const differs = await showDifference(servers, episode);
  if (!differs) console.log('no difference');
  return !differs;
}

async function fuzz(servers: Servers): Promise<boolean> {
  const seed = Number(values.seed);
  const counts = {
    operations: Number(values.ops),
    lanes: Number(values.lanes),
    length: Number(values.length),
    differences: Number(values.differences),
  };
  console.log(`seed ${seed}: ${counts.operations} operations`);
  const result = await runEpisodes(servers, { ...counts, seed, kind: values.kind }, (done, rate) => {
    console.log(`  ${done} operations, ${rate.toFixed(0)}/s`);
  });
  const { operations, seconds, unconfirmed, found } = result;
  for (const { episode, difference } of found) await showDifference(servers, episode, difference);
  const rate = (operations / seconds).toFixed(0);
  console.log(
    `${operations} operations in ${seconds.toFixed(1)} s (${rate}/s), ${found.length === 0 ? 'no difference' : `${found.length} different`}` +
      (unconfirmed > 0 ? `, ${unconfirmed} not seen again` : ''),
  );
  return found.length === 0;
}

async function main(): Promise<boolean> {
  const [embedded, real] = await startServers();
  const reach = (server: TestServer): Servers['real'] =>
    server.name === 'embedded' && !values.https
      ? server.transport()
      : http2Transport(server.url, server.caCert, server.token);
  const servers = { embedded: reach(embedded), real: reach(real) };
  try {
    await Promise.all([prepare(servers.embedded), prepare(servers.real)]);
    return await (values.replay === undefined ? fuzz(servers) : replay(servers, values.replay));
  } finally {
    await Promise.all([servers.embedded.close(), servers.real.close()]);
    await Promise.all([embedded.stop(), real.stop()]);
  }
}

process.exitCode = (await main()) ? 0 : 1;
