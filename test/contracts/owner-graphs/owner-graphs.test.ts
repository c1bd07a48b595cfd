import { AssertionError } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createApiServer } from '@kubewright/apiserver';
import { withImpersonation } from '@kubewright/client';
import { startControllers } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findServers } from '../../../tools/assets/find.mjs';
import { startControllerManager } from '../../servers/controller-manager.ts';
import { realSide } from '../../servers/real-side.ts';
import { type RealServer, startRealServer } from '../../servers/real.ts';
import { call } from '../../support/api.ts';
import type { OwnerGraph } from './graph.ts';
import { collectionOf, DEFINITIONS, KINDS } from './graph-kinds.ts';
import { OWNER_GRAPHS } from './graphs.ts';
import { type EndState, playGraph } from './play-graph.ts';

/** Graphs under way at once: controllers see a busy cluster, and the machine is not swamped. */
const AT_ONCE = 10;
const CONTROLLERS = ['garbage-collector-controller', 'namespace-controller'] as const;
/** Played by our controllers on a real API server too. */
const ON_REAL = new Set([
  'a blocking diamond in the foreground',
  'two owners, one deleted in the foreground',
  'an owner in another namespace beside one that counts',
  'an owner without a namespace, orphaning',
  'foreground within foreground',
  'three in a blocking circle, in the foreground',
  'custom dependents, orphaned',
  'a namespace that a finalizer keeps',
  'a namespace with everything in it',
]);

async function define(transport: Transport): Promise<void> {
  const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const definition of DEFINITIONS) await call(transport, 'POST', collection, definition);
  for (const kind of ['Widget', 'Gadget'] as const) {
    const path = collectionOf(KINDS[kind], 'default');
    await vi.waitFor(async () => expect((await call(transport, 'GET', path)).status).toBe(200), 20_000);
  }
}

type Results = ReadonlyMap<string, Promise<EndState>>;

/** Begins all graphs; who waits for one gets how it ended, or why it did not. */
function playAll(transport: Transport, graphs: readonly OwnerGraph[]): Results {
  const lanes = Array.from({ length: AT_ONCE }, () => Promise.resolve<unknown>(undefined));
  return new Map(
    graphs.map((graph, index) => {
      const lane = index % AT_ONCE;
      const before = lanes[lane] ?? Promise.resolve();
      const end = before.then(() => playGraph(transport, graph, `g${index}`));
      lanes[lane] = end.catch(() => undefined);
      return [graph.name, end];
    }),
  );
}

function endOf(results: Results, name: string): Promise<EndState> {
  return results.get(name) ?? Promise.reject(new AssertionError({ message: `${name} is not played` }));
}

describe('owner graphs', () => {
  const stop = new AbortController();
  const server = createApiServer();
  let ended: Promise<void>;
  let ours: Results;

  beforeAll(async () => {
    const transport = server.transport();
    await define(transport);
    const running = startControllers({
      connect: (user) => server.transport(user),
      signal: stop.signal,
      controllers: CONTROLLERS,
    });
    ended = running.ended;
    await running.ready;
    ours = playAll(transport, OWNER_GRAPHS);
  });
  afterAll(async () => {
    stop.abort();
    await ended;
    await server.close();
  });

  describe('with our controllers on the embedded server', () => {
    test.each(OWNER_GRAPHS)('$name', async ({ name, left }) => {
      expect((await endOf(ours, name)).left).toEqual(left.toSorted());
    });
  });

  const assets = findServers();
  const hasManager = assets !== undefined && existsSync(join(assets, 'kube-controller-manager'));
  const runs = hasManager || realSide.isRequired;
  const needs = runs ? '' : ' [needs kube-apiserver and kube-controller-manager: npm run assets]';

  describe.skipIf(!runs)(`with kube-controller-manager on kube-apiserver${needs}`, () => {
    const close: (() => Promise<void>)[] = [];
    let theirs: Results;

    beforeAll(async () => {
      const real = await startRealServer(assets ?? '');
      close.unshift(() => real.stop());
      const transport = real.transport();
      close.unshift(() => transport.close());
      await define(transport);
      close.unshift(startControllerManager(assets ?? '', real.kubeconfigPath, CONTROLLERS));
      theirs = playAll(transport, OWNER_GRAPHS);
    });
    afterAll(async () => {
      for (const end of close) await end();
    });

    test.each(OWNER_GRAPHS)('$name: ends as with ours', { timeout: 300_000 }, async ({ name }) => {
      expect(await endOf(ours, name)).toEqual(await endOf(theirs, name));
    });
  });

  describe.skipIf(!runs)(`with our controllers on kube-apiserver${needs}`, () => {
    const graphs = OWNER_GRAPHS.filter(({ name }) => ON_REAL.has(name));
    const alone = new AbortController();
    let real: RealServer;
    let transport: Transport;
    let gone: Promise<void>;
    let played: Results;

    beforeAll(async () => {
      real = await startRealServer(assets ?? '');
      transport = real.transport();
      await define(transport);
      const running = startControllers({
        connect: ({ username, groups }) =>
          withImpersonation(transport, { user: username, groups: [...(groups ?? [])] }),
        signal: alone.signal,
        controllers: CONTROLLERS,
      });
      gone = running.ended;
      await running.ready;
      played = playAll(transport, graphs);
    });
    afterAll(async () => {
      alone.abort();
      await gone;
      await transport.close();
      await real.stop();
    });

    test.each(graphs)('$name', async ({ name }) => {
      expect(await endOf(played, name)).toEqual(await endOf(ours, name));
    });
  });
});
