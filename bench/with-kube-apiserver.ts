import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { writeKubeconfig } from '../test/servers/kubeconfig.ts';
import { http2Transport } from '../test/support/http2-transport.ts';
import { findServers } from '../tools/assets/find.mjs';
import { startKubeApiServer } from './apiserver/servers.ts';

/** A kube-apiserver that all sides of a comparison call. */
export type SharedServer = {
  /** Path of a kubeconfig of a cluster admin. */
  readonly kubeconfig: string;
  /** To prepare what is measured. */
  readonly client: Client;
  readonly transport: Transport;
};

/** Runs `measure` on a kube-apiserver and etcd of its own, and leaves nothing. */
export async function withKubeApiServer<T>(measure: (server: SharedServer) => Promise<T>): Promise<T> {
  const assets = findServers();
  assert(assets !== undefined, 'no etcd and kube-apiserver: npm run assets, or set KUBEBUILDER_ASSETS');
  const server = await startKubeApiServer(assets);
  const { url, caCert, token } = server;
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-bench-'));
  const transport = http2Transport(url, caCert, token);
  try {
    const kubeconfig = join(directory, 'kubeconfig');
    writeKubeconfig(kubeconfig, url, caCert, token);
    return await measure({ kubeconfig, client: createClient(transport), transport });
  } finally {
    await transport.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
