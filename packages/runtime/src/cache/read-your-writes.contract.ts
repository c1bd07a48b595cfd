import { randomUUID } from 'node:crypto';
import {
  type Client,
  createClient,
  type Fault,
  injectFaults,
  isAlreadyExists,
  isConflict,
  isConnectionFailed,
  isNotFound,
} from '@kubewright/client';
import {
  type ApiRequest,
  type ApiResponse,
  compareText,
  corev1,
  type KubeObject,
  type Transport,
} from '@kubewright/kube';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { createChannelSource } from '../controller/source.ts';
import { createManager } from '../manager/create-manager.ts';
import type { Manager } from '../manager/manager.ts';

export type ServerUnderTest = { transport(): Transport };

type ConfigMap = corev1.ConfigMap;

/** Holds back what watches tell until it is opened. */
type Gate = {
  readonly transport: Transport;
  open(): void;
  fault: (request: ApiRequest) => Fault | undefined;
  /** Runs while a response is on its way. */
  meanwhile: (request: ApiRequest) => Promise<void>;
};

function gated(inner: Transport): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  async function* held(body: ApiResponse['body'], signal: AbortSignal | undefined) {
    for await (const chunk of body) {
      const stopped = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      await Promise.race([opened, stopped]);
      yield chunk;
    }
  }
  const slow: Transport = {
    async request(request) {
      const response = await inner.request(request);
      await gate.meanwhile(request);
      if (!request.path.includes('watch=true')) return response;
      return { ...response, body: held(response.body, request.signal) };
    },
    close: () => inner.close(),
  };
  const gate: Gate = {
    open: () => open(),
    fault: () => undefined,
    meanwhile: () => Promise.resolve(),
    transport: injectFaults(slow, (request) => gate.fault(request)),
  };
  return gate;
}

/** What a manager's cache shows after the manager's own writes, while its watches lag behind without end. */
export function readYourWritesContract(server: () => ServerUnderTest): void {
  describe('reading what was written', () => {
    let bare: Transport;
    let others: Client;
    let gate: Gate;
    let manager: Manager;
    let namespace: string;
    let stop: AbortController;
    let running: Promise<void>;
    beforeAll(() => {
      bare = server().transport();
      others = createClient(bare, { fieldOwner: 'others' });
    });
    afterAll(() => bare.close());
    beforeEach(async () => {
      namespace = `writes-${randomUUID().slice(0, 8)}`;
      await others.create<KubeObject>(corev1.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      await others.create(corev1.configmaps, map('before', 'old'));
      gate = gated(bare);
      manager = createManager({
        client: createClient(gate.transport, { fieldOwner: 'me' }),
        log: silentLogger,
      });
      manager.cache.informer(corev1.configmaps, { namespace, labelSelector: 'app' });
      manager.cache.addIndex(corev1.configmaps, 'text', ({ data }) => Object.values(data ?? {}));
      stop = new AbortController();
    });
    const begin = async (): Promise<void> => {
      running = manager.start(stop.signal);
      await manager.cache.waitForSync();
    };
    afterEach(async () => {
      gate.fault = () => undefined;
      const { items } = await others.list(corev1.configmaps, { namespace, labelSelector: 'app' });
      gate.open();
      // However it went: in the end the cache has what the server has.
      await vi.waitFor(() => expect(cached().toSorted(byName)).toEqual([...items].sort(byName)), 60_000);
      stop.abort();
      await running;
      await others.delete(corev1.namespaces, { name: namespace });
    });

    const at = (name: string) => ({ namespace, name });
    const map = (name: string, text: string): ConfigMap => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...at(name), labels: { app: 'a' } },
      data: { text },
    });
    const byName = (a: ConfigMap, b: ConfigMap): number =>
      compareText(String(a.metadata.name), String(b.metadata.name));
    const cached = (): readonly ConfigMap[] => manager.cache.list(corev1.configmaps, { namespace });
    const textOf = (name: string): string | undefined =>
      manager.cache.get(corev1.configmaps, at(name))?.data?.['text'];
    const patch = (client: Client, name: string, body: object) =>
      client.patch(corev1.configmaps, at(name), { type: 'merge', body: body as never });
    const setText = (client: Client, name: string, text: string) => patch(client, name, { data: { text } });
    const failure = (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => undefined,
        (error: unknown) => error,
      );
    const loseAnswers = (method: ApiRequest['method']): void => {
      gate.fault = (request) => (request.method === method ? { type: 'lostResponse' } : undefined);
    };

    it('shows each kind of write at once, in reads, lists and indexes', async () => {
      await begin();
      const { client } = manager;
      const created = await client.create(corev1.configmaps, map('new', 'a'));
      expect(textOf('new')).toBe('a');
      await client.update(corev1.configmaps, { ...created, data: { text: 'b' } });
      expect(textOf('new')).toBe('b');
      await setText(client, 'new', 'c');
      expect(textOf('new')).toBe('c');
      await client.apply(corev1.configmaps, map('new', 'd'), { force: true });
      await setText(client, 'before', 'd');
      expect(
        manager.cache.byIndex(corev1.configmaps, 'text', 'd').map(({ metadata }) => metadata.name),
      ).toEqual(expect.arrayContaining(['new', 'before']));
      expect(manager.cache.byIndex(corev1.configmaps, 'text', 'old')).toEqual([]);
      await client.delete(corev1.configmaps, at('before'));
      expect(textOf('before')).toBeUndefined();
      expect(cached().map(({ metadata }) => metadata.name)).toEqual(['new']);
      await client.create(corev1.configmaps, map('before', 'again'));
      expect(textOf('before')).toBe('again');
      await client.deleteAll(corev1.configmaps, { namespace, labelSelector: 'app' });
      expect(cached()).toEqual([]);
    });

    it('shows an object that waits for its finalizer as being deleted', async () => {
      await begin();
      await patch(manager.client, 'before', { metadata: { finalizers: ['example.com/wait'] } });
      await manager.client.delete(corev1.configmaps, at('before'));
      const dying = manager.cache.get(corev1.configmaps, at('before'));
      expect(dying?.metadata.deletionTimestamp).toBeDefined();
      await patch(manager.client, 'before', { metadata: { finalizers: null } });
      expect(textOf('before')).toBeUndefined();
    });

    it('does not show what it released after somebody else had deleted it', async () => {
      await begin();
      await patch(manager.client, 'before', { metadata: { finalizers: ['example.com/wait'] } });
      await others.delete(corev1.configmaps, at('before'));
      await patch(manager.client, 'before', { metadata: { finalizers: null } });
      const shown: unknown[] = [];
      const informer = manager.cache.informer(corev1.configmaps, { namespace, labelSelector: 'app' });
      informer.addHandler(() => void shown.push(textOf('before')));
      gate.open();
      await expect.poll(() => informer.status().objects).toBe(0);
      expect(new Set(shown)).toEqual(new Set([undefined]));
    });

    it('counts what it made under names that the server chose', async () => {
      await begin();
      const channel = createChannelSource('pokes');
      const own = createManager({ client: manager.client, log: silentLogger });
      let runs = 0;
      own.addController({
        name: 'three',
        sources: [channel],
        reconciler: {
          async reconcile() {
            runs++;
            const { length } = cached().filter(({ metadata }) => metadata.generateName === 'many-');
            for (let i = length; i < 3; i++) {
              const metadata = { namespace, generateName: 'many-', labels: { app: 'a' } };
              await manager.client.create(corev1.configmaps, {
                apiVersion: 'v1',
                kind: 'ConfigMap',
                metadata,
              });
            }
            return runs < 5 ? { requeueAfter: 1 } : {};
          },
        },
      });
      const done = own.start(stop.signal);
      channel.send({ name: 'any' });
      await expect.poll(() => runs).toBe(5);
      const { items } = await others.list(corev1.configmaps, { namespace, labelSelector: 'app' });
      expect(items).toHaveLength(4);
      stop.abort();
      await done;
      stop = new AbortController();
      manager = createManager({ client: createClient(bare), log: silentLogger });
      manager.cache.informer(corev1.configmaps, { namespace, labelSelector: 'app' });
      await begin();
    });

    it('shows what a conflict was about', async () => {
      await begin();
      await setText(others, 'before', 'theirs');
      const [old = map('before', 'old')] = cached();
      const mine = { ...old, data: { text: 'mine' } };
      expect(textOf('before')).toBe('old');
      expect(isConflict(await failure(manager.client.update(corev1.configmaps, mine)))).toBe(true);
      expect(textOf('before')).toBe('theirs');
      await others.create(corev1.configmaps, map('taken', 'theirs'));
      const create = manager.client.create(corev1.configmaps, map('taken', 'mine'));
      expect(isAlreadyExists(await failure(create))).toBe(true);
      expect(textOf('taken')).toBe('theirs');
    });

    it('knows what is gone when a write says so', async () => {
      await begin();
      await others.delete(corev1.configmaps, at('before'));
      expect(isNotFound(await failure(setText(manager.client, 'before', 'x')))).toBe(true);
      expect(textOf('before')).toBeUndefined();
      await others.create(corev1.configmaps, map('before', 'anew'));
      await setText(manager.client, 'before', 'mine');
      expect(textOf('before')).toBe('mine');
    });

    it('keeps what was created while the response that its predecessor is gone was on its way', async () => {
      await begin();
      await others.delete(corev1.configmaps, at('before'));
      gate.meanwhile = async ({ method }) => {
        if (method === 'DELETE') await manager.client.create(corev1.configmaps, map('before', 'anew'));
      };
      const deletion = manager.client.delete(corev1.configmaps, at('before'));
      expect(isNotFound(await failure(deletion))).toBe(true);
      expect(textOf('before')).toBe('anew');
    });

    it('finds out what became of a write without answer', async () => {
      await begin();
      loseAnswers('POST');
      const named = manager.client.create(corev1.configmaps, map('lost', 'a'));
      expect(isConnectionFailed(await failure(named))).toBe(true);
      expect(textOf('lost')).toBe('a');
      const metadata = { namespace, generateName: 'lost-', labels: { app: 'a' } };
      const chosen: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      expect(isConnectionFailed(await failure(manager.client.create(corev1.configmaps, chosen)))).toBe(true);
      expect(cached()).toHaveLength(3);
      loseAnswers('PATCH');
      expect(isConnectionFailed(await failure(setText(manager.client, 'lost', 'b')))).toBe(true);
      expect(textOf('lost')).toBe('b');
      loseAnswers('DELETE');
      const deletion = manager.client.delete(corev1.configmaps, at('lost'));
      expect(isConnectionFailed(await failure(deletion))).toBe(true);
      expect(textOf('lost')).toBeUndefined();
    });

    it('shows nothing of what was only tried, and nothing that is not selected', async () => {
      await begin();
      await manager.client.create(corev1.configmaps, map('tried', 'a'), { dryRun: true });
      await manager.client.delete(corev1.configmaps, at('before'), { dryRun: true });
      await manager.client.create(corev1.configmaps, { ...map('other', 'a'), metadata: at('other') });
      expect(cached().map(({ metadata }) => metadata.name)).toEqual(['before']);
      await patch(manager.client, 'before', { metadata: { labels: null } });
      expect(cached()).toEqual([]);
    });

    it('shows what each account of the process wrote, under its own name', async () => {
      const account = manager.as(createClient(bare, { fieldOwner: 'account' }));
      const byOwner = ({ metadata }: KubeObject): readonly string[] =>
        (metadata.managedFields ?? []).flatMap(({ manager: owner }) => owner ?? []);
      const addIndex = (valuesOf: typeof byOwner): void =>
        account.cache.addIndex(corev1.configmaps, 'owner', valuesOf);
      addIndex(byOwner);
      addIndex(byOwner);
      expect(() => addIndex(() => [])).toThrow('there is another index owner already');
      await begin();
      await account.client.create(corev1.configmaps, map('theirs', 'a'));
      await manager.client.create(corev1.configmaps, map('mine', 'a'));
      const namesOf = (owner: string): readonly (string | undefined)[] =>
        manager.cache.byIndex(corev1.configmaps, 'owner', owner).map(({ metadata }) => metadata.name);
      expect(namesOf('account')).toEqual(['theirs']);
      expect(namesOf('me')).toEqual(['mine']);
      const [about = map('before', 'old')] = cached();
      const recorder = account.recorderFor('teller');
      recorder.record(about, { type: 'Normal', reason: 'Told', message: 'told' });
      await recorder.settled();
      const { items } = await others.list(corev1.events, { namespace });
      expect(items.map(({ metadata }) => metadata.managedFields?.[0]?.manager)).toEqual(['account']);
    });

    it('gives way to what others wrote later', async () => {
      await begin();
      await setText(manager.client, 'before', 'mine');
      await setText(others, 'before', 'theirs');
      expect(textOf('before')).toBe('mine');
      gate.open();
      await expect.poll(() => textOf('before')).toBe('theirs');
    });
  });
}
