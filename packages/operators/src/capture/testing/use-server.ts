import assert from 'node:assert/strict';
import { ADMIN, type ApiServer, createApiServer } from '@kubewright/apiserver';
import { type Client, createClient, type ManualClock } from '@kubewright/client';
import type { ApiRequest, Named, Transport } from '@kubewright/kube';
import { createManager, installDefinitions, type Manager, silentLogger } from '@kubewright/runtime';
import { afterEach, beforeEach } from 'vitest';

/** The bearer token of a cluster admin. */
export const ADMIN_TOKEN = 'admin-token';

type Started = { readonly manager: Manager; readonly ended: Promise<unknown> };

type ServerOfTest = {
  readonly server: ApiServer;
  /** Calls as a cluster admin. */
  readonly admin: Client;
  /** The server's transport; `meanwhile` runs while a request of this method is on its way. */
  slow(method: ApiRequest['method'], meanwhile: (request: ApiRequest) => Promise<void>): Transport;
  /** Runs what `add` adds to a manager until the test ends; `ended` resolves with the error that ended it before. */
  run(add: (manager: Manager) => void, options?: Partial<Parameters<typeof createManager>[0]>): Started;
};

/** An embedded server for each test of a suite, which tests of single parts call between the writes of these. */
export function useServer(definitions: readonly Named[]): ServerOfTest {
  let server: ApiServer | undefined;
  let stops: (() => Promise<void>)[] = [];
  const running = (): ApiServer => {
    assert(server !== undefined, 'the server is there only while tests run');
    return server;
  };
  beforeEach(async () => {
    server = createApiServer({ users: [{ token: ADMIN_TOKEN, user: ADMIN }] });
    await installDefinitions(createClient(server.transport()), definitions, { fieldManager: 'test' });
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
    stops = [];
    await server?.close();
  });
  return {
    get server() {
      return running();
    },
    get admin() {
      return createClient(running().transport());
    },
    slow(method, meanwhile) {
      const way = running().transport();
      return {
        async request(request) {
          if (request.method === method) await meanwhile(request);
          return way.request(request);
        },
        close: () => way.close(),
      };
    },
    run(add, options = {}) {
      const transport = running().transport();
      const manager = createManager({ name: 'test', transport, log: silentLogger, ...options });
      add(manager);
      const stop = new AbortController();
      let isOver = false;
      const ended = manager
        .start(stop.signal)
        .catch((error: unknown) => error)
        .finally(() => (isOver = true));
      stops.push(async () => {
        stop.abort();
        // A retry that waits for a clock of the test would wait for ever.
        await moveUntil(() => isOver, options.clock);
        await ended;
      });
      return { manager, ended };
    },
  };
}

/** Moves a clock of the test, if it is one; the system's moves by itself. */
async function moveUntil(isOver: () => boolean, clock: Partial<ManualClock> = {}): Promise<void> {
  while (clock.advance !== undefined && !isOver()) await clock.advance(1000);
}
