import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createApiServer } from '@kubewright/apiserver';
import { type ControllerName, startControllers } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe } from 'vitest';
import { findServers } from '../../tools/assets/find.mjs';
import { startControllerManager } from './controller-manager.ts';
import { startRealServer } from './real.ts';

/** An API with controllers at work, and how it is left. */
type RunningCluster = { readonly transport: Transport; stop(): Promise<void> };

async function startOurs(controllers: readonly ControllerName[]): Promise<RunningCluster> {
  const server = createApiServer();
  const stop = new AbortController();
  const running = startControllers({
    connect: (user) => server.transport(user),
    signal: stop.signal,
    controllers,
    rootCa: 'the authority of this cluster',
  });
  await running.ready;
  return {
    transport: server.transport(),
    async stop() {
      stop.abort();
      await running.ended;
      await server.close();
    },
  };
}

async function startReal(assets: string, controllers: readonly ControllerName[]): Promise<RunningCluster> {
  const real = await startRealServer(assets);
  const transport = real.transport();
  const stopManager = startControllerManager(assets, real.kubeconfigPath, controllers);
  return {
    transport,
    async stop() {
      await stopManager();
      await transport.close();
      await real.stop();
    },
  };
}

/**
 * Registers a suite on the embedded API with our controllers, and on kube-apiserver with those of kube-controller-manager
 * that `controllers` names. Each has a control plane of its own.
 */
export function describeClusters(
  title: string,
  controllers: readonly ControllerName[],
  suite: (transport: () => Transport) => void,
): void {
  const run = (start: () => Promise<RunningCluster>) => (): void => {
    let cluster: RunningCluster | undefined;
    beforeAll(async () => {
      cluster = await start();
    });
    afterAll(() => cluster?.stop());
    suite(() => {
      if (cluster === undefined) throw new Error('the cluster is there only while tests run');
      return cluster.transport;
    });
  };
  describe(
    `${title} on the embedded cluster`,
    run(() => startOurs(controllers)),
  );
  const assets = findServers();
  const found = assets !== undefined && existsSync(join(assets, 'kube-controller-manager'));
  const runs = found || process.env['KUBEWRIGHT_REAL'] === 'required';
  const needs = runs ? '' : ' [needs kube-apiserver and kube-controller-manager: npm run assets]';
  describe.skipIf(!runs)(
    `${title} with kube-controller-manager${needs}`,
    run(() => startReal(assets ?? '', controllers)),
  );
}
