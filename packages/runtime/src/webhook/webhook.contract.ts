import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:tls';
import {
  type Client,
  type Clock,
  createClient,
  ignoreNotFound,
  recordRequests,
  type RecordingTransport,
  type ResourceRef,
  sleep,
  systemClock,
} from '@kubewright/client';
import { isJsonObject, type Json, type JsonObject, type KubeObject, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LogFields, Logger } from '../log/logger.ts';
import { createManager } from '../manager/create-manager.ts';
import type { Manager } from '../manager/manager.ts';
import {
  CONFIGURATION_RESOURCES,
  type WebhookConfigurationRef,
} from './certificates/webhook-configuration-ref.ts';
import { defaultingWebhook } from './defaulting-webhook.ts';
import { denial } from './denial.ts';
import { splitPath } from './path-segment.ts';
import { fastClock } from '../testing/fast-clock.ts';
import { validatingWebhook } from './validating-webhook.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
export type ServerUnderTest = { transport(): Transport };

const core = { group: '', version: 'v1', namespaced: true };
const configMaps: ResourceRef = { ...core, resource: 'configmaps', kind: 'ConfigMap' };
const secrets: ResourceRef = { ...core, resource: 'secrets', kind: 'Secret' };
const namespaces: ResourceRef = { ...core, resource: 'namespaces', kind: 'Namespace', namespaced: false };

const HOST = '127.0.0.1';
const MINUTE = 60_000;
/** Between two requests of a caller, of a clock that is a hundred times as fast. */
const PACE_MS = 5000;

type Replica = {
  readonly manager: Manager;
  readonly port: number;
  readonly transport: RecordingTransport;
  stop(): Promise<void>;
};

/** The data of a ConfigMap or a Secret. */
const dataOf = (object: KubeObject): Readonly<Record<string, string | undefined>> => {
  const data = object['data'];
  return isJsonObject(data) ? (data as Record<string, string>) : {};
};

/** Fills in an owner. */
const mutating = defaultingWebhook({
  default: (map) => ({ ...map, data: { ...dataOf(map), owner: dataOf(map)['owner'] ?? 'nobody' } }),
});

/** Wants small numbers, and an owner, which the other one fills in. */
const validating = validatingWebhook({
  validateCreate(map, { warn, audit }) {
    const { owner, size } = dataOf(map);
    audit('owner', owner ?? 'none');
    if (owner === 'nobody') warn('nobody owns this');
    if (size === 'broken') throw new TypeError('size is no number');
    if (Number(size ?? 0) > 10) throw denial(`${size} is too large`);
  },
  validateUpdate(old, map) {
    if (dataOf(old)['owner'] !== dataOf(map)['owner']) throw denial('the owner stays');
  },
  validateDelete(map) {
    if (dataOf(map)['keep'] === 'yes') throw denial('this is kept');
  },
});

/** Webhooks written on the runtime, called by any API server. */
export function webhookContract(server: () => ServerUnderTest): void {
  describe('webhooks on the runtime', () => {
    const id = randomUUID().slice(0, 8);
    const namespace = `webhooks-${id}`;
    const refs = {
      mutating: { kind: 'MutatingWebhookConfiguration', name: `mutating-${id}` },
      validating: { kind: 'ValidatingWebhookConfiguration', name: `validating-${id}` },
    } as const;
    const logged: string[] = [];
    const log = recordingLogger(logged);
    let transport: Transport;
    let client: Client;

    beforeAll(async () => {
      transport = server().transport();
      client = createClient(transport);
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    });
    afterAll(async () => {
      for (const ref of Object.values(refs)) await remove(client, ref);
      await client.deleteAll(configMaps, { namespace });
      await client.deleteAll(secrets, { namespace });
      await client.delete(namespaces, { name: namespace });
      await transport.close();
    });

    const eventually = <T>(check: () => Promise<T> | T): Promise<T> =>
      vi.waitFor(check, { timeout: 60_000, interval: 20 });
    const map = (name: string, data: Record<string, string>): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
      data,
    });
    const at = (name: string) => ({ namespace, name });
    const failure = (promise: Promise<unknown>): Promise<unknown> =>
      promise.then(
        () => 'no failure',
        (error: unknown) => error,
      );

    /** Serves both webhooks, with the certificates that all replicas share. */
    async function begin(clock: Clock, lifetimes: object = {}): Promise<Replica> {
      const recorded = recordRequests(server().transport());
      let open: (port: number) => void = () => undefined;
      const listening = new Promise<number>((resolve) => (open = resolve));
      const served = {
        port: 0,
        host: HOST,
        onListening: (port: number) => open(port),
        certificates: {
          secret: at('certificates'),
          configurations: Object.values(refs),
          hosts: [HOST],
          ...lifetimes,
        },
      };
      const manager = createManager({ client: createClient(recorded), clock, log, webhooks: served });
      const webhooks = manager.webhookServer();
      webhooks.register('/default', mutating);
      webhooks.register('/validate', validating);
      expect(manager.health().reasons).toContain('webhook server has not been started yet');
      const end = new AbortController();
      const running = manager.start(end.signal);
      const stop = async (): Promise<void> => {
        end.abort();
        await running;
        await recorded.close();
      };
      return { manager, port: await listening, transport: recorded, stop };
    }

    /** Tells the API server of the webhooks; nothing of whom to trust: that the certificates tell. */
    async function configure(defaulter: Replica, validator: Replica): Promise<void> {
      const webhook = (port: number, path: string, operations: readonly string[]): JsonObject => ({
        name: `${path.slice(1)}.example.com`,
        clientConfig: { url: `https://${HOST}:${port}${path}` },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 10,
      });
      const create = async (ref: WebhookConfigurationRef, webhooks: Json): Promise<void> => {
        const { kind, name } = ref;
        const object = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, webhooks };
        await remove(client, ref);
        await client.create<KubeObject>(CONFIGURATION_RESOURCES[kind], object);
      };
      await create(refs.mutating, [webhook(defaulter.port, '/default', ['CREATE', 'UPDATE'])]);
      await create(refs.validating, [webhook(validator.port, '/validate', ['CREATE', 'UPDATE', 'DELETE'])]);
      // From now on the servers know of both.
      await eventually(async () => {
        const made = await client.create(configMaps, map('probe', {}), { dryRun: true });
        expect(dataOf(made)['owner']).toBe('nobody');
        const refused = failure(client.create(configMaps, map('probe', { size: '11' }), { dryRun: true }));
        expect(String(await refused)).toContain('too large');
      });
    }

    const caBundle = async (ref: WebhookConfigurationRef): Promise<string> => {
      const object = await client.get(CONFIGURATION_RESOURCES[ref.kind], { name: ref.name });
      const [first] = object['webhooks'] as { clientConfig: { caBundle?: string } }[];
      return Buffer.from(first?.clientConfig.caBundle ?? '', 'base64').toString();
    };
    const calledPath = async (ref: WebhookConfigurationRef): Promise<string> => {
      const object = await client.get(CONFIGURATION_RESOURCES[ref.kind], { name: ref.name });
      const [first] = object['webhooks'] as { clientConfig: { url: string } }[];
      return new URL(first?.clientConfig.url ?? '').pathname;
    };
    /** As manifests have them. */
    async function nameBarePaths(port: number): Promise<void> {
      for (const [ref, path] of [
        [refs.mutating, '/default'],
        [refs.validating, '/validate'],
      ] as const) {
        const value = `https://${HOST}:${port}${path}`;
        const body = [{ op: 'add', path: '/webhooks/0/clientConfig/url', value }];
        await client.patch(CONFIGURATION_RESOURCES[ref.kind], { name: ref.name }, { type: 'json', body });
      }
    }
    /** What a release without segments has in its Secret. */
    async function forgetSegments(): Promise<void> {
      const { segments: _forgotten, ...rest } = JSON.parse(await bundleText()) as JsonObject;
      const data = { 'bundle.json': Buffer.from(JSON.stringify(rest)).toString('base64') };
      await client.patch(secrets, at('certificates'), { type: 'merge', body: { data } });
    }
    const bundleText = async (): Promise<string> => {
      const encoded = dataOf(await client.get(secrets, at('certificates')))['bundle.json'];
      return Buffer.from(encoded ?? '', 'base64').toString();
    };
    type Bundle = { generation: number; authorities: { id: string }[]; leaf: { cert: string } };
    const bundle = async (): Promise<Bundle> => JSON.parse(await bundleText()) as Bundle;

    it('fill in, refuse, warn, and fail closed', async () => {
      const replica = await begin(systemClock);
      await configure(replica, replica);
      const { data } = await client.create(configMaps, map('plain', { a: '1' }));
      expect(data).toEqual({ a: '1', owner: 'nobody' });
      const refused = await failure(client.create(configMaps, map('large', { size: '11' })));
      expect(refused).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        message: 'admission webhook "validate.example.com" denied the request: 11 is too large',
      });
      const merge = { type: 'merge', body: { data: { owner: 'me' } } } as const;
      expect(String(await failure(client.patch(configMaps, at('plain'), merge)))).toContain(
        'the owner stays',
      );
      const broken = await failure(client.create(configMaps, map('broken', { size: 'broken' })));
      expect(broken).toMatchObject({
        code: 500,
        message:
          'admission webhook "validate.example.com" denied the request: panic: size is no number [recovered]',
      });
      await client.create(configMaps, map('kept', { keep: 'yes' }));
      expect(String(await failure(client.delete(configMaps, at('kept'))))).toContain('this is kept');
      const warned = await transport.request({
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(map('warned', {})),
      });
      for await (const _ of warned.body);
      expect(String(warned.headers['warning'])).toContain('nobody owns this');
      expect(replica.manager.health()).toMatchObject({ ready: true, reasons: [] });
      const metrics = await replica.manager.registry.metrics();
      expect(metrics).toMatch(
        /controller_runtime_webhook_requests_total\{webhook="\/validate",code="200"\} [1-9]/,
      );
      expect(metrics).toContain('controller_runtime_webhook_requests_in_flight{webhook="/default"} 0');
      await client.patch(configMaps, at('kept'), { type: 'merge', body: { data: { keep: 'no' } } });
      await replica.stop();
      const closed = await failure(client.create(configMaps, map('closed', {})));
      expect(closed).toMatchObject({ code: 500, reason: 'InternalError' });
      expect(String(closed)).toContain('failed calling webhook "default.example.com"');
    });

    it('keep the caBundle, and write nothing when it is as it should be', async () => {
      const replica = await begin(systemClock);
      await configure(replica, replica);
      const wanted = await caBundle(refs.mutating);
      expect(await caBundle(refs.validating)).toBe(wanted);
      const path = '/webhooks/0/clientConfig/caBundle';
      const resource = CONFIGURATION_RESOURCES[refs.mutating.kind];
      const { name } = refs.mutating;
      replica.transport.clear();
      await client.patch(resource, { name }, { type: 'json', body: [{ op: 'remove', path }] });
      // The replica has had the response, too: a write is recorded only then.
      await eventually(() =>
        expect(replica.transport.writes()).toContainEqual(
          expect.objectContaining({ path: expect.stringMatching(new RegExp(`/${name}$`)), status: 200 }),
        ),
      );
      expect(await caBundle(refs.mutating)).toBe(wanted);
      replica.transport.clear();
      await client.patch(resource, { name }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
      await eventually(() =>
        expect(replica.transport.requests.map((one) => one.path)).toContainEqual(
          expect.stringMatching(/secrets\/certificates$/),
        ),
      );
      await replica.stop();
      const second = await begin(systemClock);
      await configure(second, second);
      await second.stop();
      const certificates = /secrets\/certificates$/;
      expect(replica.transport.writes()).toEqual([]);
      expect(second.transport.writes().filter((one) => certificates.test(one.path))).toEqual([]);
      for (const ref of Object.values(refs)) await remove(client, ref);
      await client.delete(secrets, at('certificates'));
    });

    it('believe the API server alone, and write the path that it calls nowhere else', async () => {
      const replica = await begin(systemClock);
      await configure(replica, replica);
      const path = await calledPath(refs.validating);
      expect(path).toMatch(/^\/validate\/kw-[0-9a-f]{32}$/);
      const trusted = await caBundle(refs.validating);
      const call = (at: string): Promise<number> => statusOf(replica.port, at, trusted);
      const stale = `/validate/kw-${'0'.repeat(32)}`;
      for (const guessed of ['/validate', '/validate/', `${path}0`, stale, `/default/${segmentOf(path)}/x`])
        expect([guessed, await call(guessed)]).toEqual([guessed, 404]);
      expect(await call(path)).toBe(200);
      const metrics = await replica.manager.registry.metrics();
      expect(metrics).not.toContain(segmentOf(path));
      await replica.stop();
    });

    it('are called without a gap after an upgrade from a release whose paths had no segments', async () => {
      const clock = fastClock(100);
      const lifetimes = { leafMs: 60 * MINUTE, authorityMs: 180 * MINUTE, settleMs: 3 * MINUTE };
      const former = await begin(clock, lifetimes);
      await configure(former, former);
      const stale = await calledPath(refs.validating);
      await former.stop();
      await forgetSegments();
      const replica = await begin(clock, lifetimes);
      const call = async (path: string): Promise<number> =>
        statusOf(replica.port, path, await caBundle(refs.validating));
      await nameBarePaths(replica.port);
      await eventually(() => client.create(configMaps, map('load', {}), { dryRun: true }));
      const failures: unknown[] = [];
      const isRouted = async (): Promise<boolean> =>
        segmentOf(await calledPath(refs.mutating)) + segmentOf(await calledPath(refs.validating)) !== '';
      while (!(await isRouted()) || (await call('/validate')) !== 404) {
        const made = client.create(configMaps, map('load', {}), { dryRun: true });
        await made.catch((error: unknown) => failures.push(String(error)));
        await sleep(clock, PACE_MS);
      }
      expect(failures).toEqual([]);
      expect(await call(stale)).toBe(404);
      expect(await call(await calledPath(refs.validating))).toBe(200);
      // "kubectl apply" of the manifests writes the bare paths again.
      await nameBarePaths(replica.port);
      await eventually(async () => expect(await isRouted()).toBe(true));
      await replica.stop();
      for (const ref of Object.values(refs)) await remove(client, ref);
      await client.delete(secrets, at('certificates'));
    });

    it('answer every request while certificates and CAs are replaced again and again', async () => {
      // 36 seconds of this clock are an hour, by which certificates are backdated: none is ever too young, or old.
      const clock = fastClock(100);
      const lifetimes = {
        leafMs: 6 * MINUTE,
        authorityMs: 18 * MINUTE,
        settleMs: 3 * MINUTE,
        segmentMs: 6 * MINUTE,
      };
      const [first, second] = await Promise.all([begin(clock, lifetimes), begin(clock, lifetimes)]);
      await configure(first, second);
      const { authorities } = await bundle();
      const seen = {
        authorities: new Set(authorities.map((one) => one.id)),
        leaves: new Set<string>(),
        segments: new Set<string>(),
      };
      const failures: string[] = [];
      let [requests, dials] = [0, 0];
      const over = new AbortController();
      const lane = async (attempt: () => Promise<void>): Promise<void> => {
        while (!over.signal.aborted) {
          await attempt().catch((error: unknown) => failures.push(String(error)));
          await sleep(clock, PACE_MS);
        }
      };
      const admit = async (): Promise<void> => {
        const made = await client.create(configMaps, map(`load-${requests++}`, {}), { dryRun: true });
        expect(dataOf(made)['owner']).toBe('nobody');
      };
      /**
       * A caller that knows what a configuration said a moment ago, and keeps no connection. A CA signs `settleMs` after
       * all configurations have it: what is older than that when the server responds may lack it.
       */
      const dial = async (): Promise<void> => {
        const replica = dials % 2 === 0 ? first : second;
        const read = clock.now();
        const outcome = await handshake(replica.port, await caBundle(refs.validating)).catch(String);
        if (clock.now() - read >= lifetimes.settleMs) return;
        dials++;
        if (outcome !== undefined) failures.push(outcome);
      };
      const lanes = [admit, admit, admit, admit, admit, admit, dial, dial].map(lane);
      const watch = async (rotations: number): Promise<void> => {
        const wanted = seen.authorities.size + rotations;
        await eventually(async () => {
          const now = await bundle();
          for (const one of now.authorities) seen.authorities.add(one.id);
          seen.leaves.add(now.leaf.cert);
          seen.segments.add(segmentOf(await calledPath(refs.validating)));
          expect(seen.authorities.size).toBeGreaterThanOrEqual(wanted);
        });
      };
      await watch(1);
      await client.delete(secrets, at('certificates'));
      await eventually(bundle);
      await watch(2);
      // What was there at first goes from everywhere.
      await eventually(async () => {
        const left = (await bundle()).authorities.map((one) => one.id);
        expect(left.filter((old) => authorities.some((one) => one.id === old))).toEqual([]);
      });
      await eventually(() => expect(requests).toBeGreaterThan(100));
      await eventually(() => expect(dials).toBeGreaterThan(20));
      over.abort();
      await Promise.all(lanes);
      expect(failures).toEqual([]);
      expect(seen.leaves.size).toBeGreaterThanOrEqual(5);
      expect(seen.segments.size).toBeGreaterThanOrEqual(3);
      await eventually(async () =>
        expect(await caBundle(refs.mutating)).toBe(await caBundle(refs.validating)),
      );
      await Promise.all([first.stop(), second.stop()]);
    });

    it('write no key into a log', async () => {
      expect(logged.length).toBeGreaterThan(10);
      expect(logged.filter((line) => /PRIVATE KEY|bundle\.json|kw-[0-9a-f]{32}/.test(line))).toEqual([]);
    });
  });
}

async function remove(client: Client, { kind, name }: WebhookConfigurationRef): Promise<void> {
  await ignoreNotFound(client.delete(CONFIGURATION_RESOURCES[kind], { name }));
}

function segmentOf(path: string): string {
  return splitPath(path).segment ?? '';
}

/** The HTTP status of a review that somebody who is no API server sends; with 404 the body is not read. */
async function statusOf(port: number, path: string, ca: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const call = httpsRequest({ host: HOST, port, path, method: 'POST', headers, ca, agent: false });
  call.on('error', () => undefined);
  call.end('{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u"}}');
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return response.statusCode ?? 0;
}

/** Rejects when the server's certificate is not signed by one of `ca`. */
function handshake(port: number, ca: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: HOST, port, ca, servername: '', ALPNProtocols: ['h2'] }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

function recordingLogger(lines: string[], about: LogFields = {}): Logger {
  const note = (message: string, fields: LogFields = {}): void => {
    const { error, ...rest } = { ...about, ...fields };
    const text = error instanceof Error ? `${error.message} ${JSON.stringify(error)}` : JSON.stringify(error);
    lines.push(`${message} ${JSON.stringify(rest)} ${text}`);
  };
  const child = (fields: LogFields): Logger => recordingLogger(lines, { ...about, ...fields });
  return { debug: note, info: note, warn: note, error: note, child };
}
