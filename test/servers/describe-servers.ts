import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { findServers } from '../../tools/assets/find.mjs';
import { http2Transport } from '../support/http2-transport.ts';
import { startEmbeddedServer } from './embedded.ts';
import { describeOurs } from './describe-ours.ts';
import { issueBy } from './issue-by.ts';
import { realSide } from './real-side.ts';
import { type RealServer, startRealServer } from './real.ts';
import { type RestartableServer, type ServerOptions, type TestServer, USERS } from './test-server.ts';

type RealConnection = Pick<RealServer, 'url' | 'caCert' | 'token' | 'kubeconfigPath' | 'clientCa'>;

/** The run's real control plane, which global-setup.ts starts and stops. */
async function joinRealServer(): Promise<TestServer> {
  const response = await fetch(inject('realServerBroker'));
  if (!response.ok) assert.fail(await response.text());
  const { clientCa, ...connection } = (await response.json()) as RealConnection;
  const { url, caCert } = connection;
  return {
    name: 'real',
    ...connection,
    transport: (user = 'admin') => http2Transport(url, caCert, USERS[user].token),
    issueClientCertificate: issueBy(clientCa),
    stop: async () => undefined,
  };
}

function describeServer<S extends TestServer>(
  title: string,
  start: () => Promise<S>,
  suite: (server: () => S) => void,
  register: (title: string, suite: () => void) => void = describe,
): void {
  register(title, () => {
    let server: S | undefined;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.stop());
    suite(() => {
      assert(server !== undefined, 'the server is there only while tests run');
      return server;
    });
  });
}

type Suite = (server: () => TestServer) => void;

/** Registers a contract suite on kube-apiserver; skipped, with the reason in its title, where there is none. */
function describeReal(title: string, suite: Suite): void {
  describeWhereFound(title, joinRealServer, suite);
}

function describeWhereFound<S extends TestServer>(
  title: string,
  start: () => Promise<S>,
  suite: (server: () => S) => void,
): void {
  if (findServers() !== undefined || realSide.isRequired) {
    describeServer(`${title} on kube-apiserver`, start, suite);
  } else {
    const needs = '[needs etcd and kube-apiserver: npm run assets, or set KUBEBUILDER_ASSETS]';
    describe.skip(`${title} on kube-apiserver ${needs}`, () => suite(() => ({}) as S));
  }
}

/**
 * Registers a suite that ends and restarts its server: a real control plane of its own, not the shared one. With
 * `npm run test:real` it does so more often, on both sides.
 */
export function describeRestartable(title: string, suite: (server: () => RestartableServer) => void): void {
  describeServer(`${title} on the embedded server`, () => startEmbeddedServer(), suite);
  describeWhereFound(title, () => startOwnRealServer(), suite);
}

/** Registers a suite on servers whose pods need accounts. */
export function describeWithAccounts(title: string, suite: Suite): void {
  describeOwn(title, suite, { accounts: true });
}

/** Registers a suite on servers that keep an audit log. */
export function describeAudited(title: string, suite: (server: () => RestartableServer) => void): void {
  describeOwn(title, suite, { audit: true });
}

function describeOwn(
  title: string,
  suite: (server: () => RestartableServer) => void,
  options: ServerOptions,
): void {
  describeServer(`${title} on the embedded server`, () => startEmbeddedServer(options), suite, describeOurs);
  describeWhereFound(title, () => startOwnRealServer(options), suite);
}

async function startOwnRealServer(options: ServerOptions = {}): Promise<RestartableServer> {
  const assets = findServers();
  assert(assets !== undefined, 'no etcd and kube-apiserver');
  return startRealServer(assets, options);
}

/** Registers a contract suite on the embedded server. */
export function describeEmbedded(title: string, suite: Suite): void {
  describeServer(`${title} on the embedded server`, () => startEmbeddedServer(), suite, describeOurs);
}

/** Registers a contract suite on every server that there is. */
export function describeServers(title: string, suite: Suite): void {
  describeEmbedded(title, suite);
  describeReal(title, suite);
}
