import { ignoreNotFound } from '@kubewright/client';
import { parseJson, stringifyJson, type JsonObject, type Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { OBJECT_KEEPERS, type ObjectKeeper } from './api/object-keeper.ts';
import { SNAPSHOT_CONTENTS, type SnapshotContent } from './api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
import { NAMES } from './requests/names.ts';
import {
  after,
  changeBody,
  failWith,
  interceptCalls,
  only,
  sentObject,
} from './testing/intercepted-calls.ts';
import { createSnapshotRequest, finished, gone } from './testing/make-requests.ts';
import { DRIVER, makeBoundClaim, reportSnapshot } from './testing/static-volumes.ts';
import { useStaticVolumes } from './testing/use-static-volumes.ts';

const KEEPERS = /\/objectkeepers(\?|$)/;
const KEEPER = /\/objectkeepers\/retainer-vcr-/;
const CONTENTS = /\/volumesnapshotcontents(\?|$)/;
const CONTENT = /\/volumesnapshotcontents\/snapshot-/;
const STATUS = /\/volumecapturerequests\/[^/]+\/status/;
const CLAIM = /\/persistentvolumeclaims\//;

/** What is there already when a request for a snapshot would make it, and calls that fail. */
export function adoptionContract(transport: () => Transport): void {
  describe('a request for a snapshot', () => {
    const calls = interceptCalls();
    const capture = useStaticVolumes(transport, { time: calls.time });
    const { namespace } = capture;

    const request = async (name: string) => {
      const { metadata } = await makeBoundClaim(capture.admin, { namespace, name });
      return createSnapshotRequest(capture, name, metadata);
    };
    const reasonOf = async (name: string) =>
      (await finished(capture, VOLUME_CAPTURE_REQUESTS, name)).status?.conditions?.map(
        ({ status, reason }) => `${status}/${reason}`,
      );
    const keeperOf = (uid: string) => capture.admin.get(OBJECT_KEEPERS, { name: NAMES.captureKeeper(uid) });
    const contentOf = (uid: string) =>
      capture.admin.get(SNAPSHOT_CONTENTS, { name: NAMES.snapshotContent(uid) });
    /** Reports its snapshot to be ready, once there is one. */
    const completes = async (name: string, uid: string): Promise<void> => {
      await expect.poll(() => contentOf(uid).catch(() => undefined)).toBeDefined();
      await reportSnapshot(capture.admin, NAMES.snapshotContent(uid), { readyToUse: true });
      expect(await reasonOf(name)).toEqual(['True/Completed']);
    };
    const writesOf = (path: RegExp) =>
      calls.made.filter((call) => call.method === 'POST' && path.test(call.path) && call.status === 201);

    test.each([
      [500, 'InternalError'],
      [429, 'TooManyRequests'],
      [504, 'Timeout'],
    ])(
      'CAP-7 does not end while the claim cannot be read (%i): it begins when it can',
      async (code, reason) => {
        const name = `unread-${code}`;
        const end = calls.on({ method: 'GET', path: CLAIM }, failWith(code, reason));
        const reads = () => calls.made.filter(({ path, status }) => path.includes(name) && status === code);
        const { metadata } = await request(name);
        await expect.poll(() => reads().length).toBeGreaterThan(2);
        const waiting = await capture.admin.get(VOLUME_CAPTURE_REQUESTS, { namespace, name });
        expect([waiting.status, waiting.metadata.resourceVersion]).toEqual([
          undefined,
          metadata.resourceVersion,
        ]);
        end();
        await completes(name, metadata.uid);
      },
    );

    test('CAP-23 makes no snapshot while its keeper has no uid', async () => {
      const nameless = changeBody((text) => {
        const { metadata, ...rest } = parseJson(text) as { readonly metadata: JsonObject };
        return stringifyJson({ ...rest, metadata: { ...metadata, uid: '' } });
      });
      const ends = [KEEPER, KEEPERS].flatMap((path) =>
        ['GET', 'POST'].map((method) => calls.on({ method, path }, nameless)),
      );
      const looks = () => calls.made.filter(({ method, path }) => method === 'GET' && KEEPER.test(path));
      const before = looks().length;
      const { metadata } = await request('nameless');
      // The first finds none, the others one without a uid.
      await expect.poll(() => looks().length - before).toBeGreaterThan(2);
      await expect(contentOf(metadata.uid)).rejects.toThrow('not found');
      for (const end of ends) end();
      await completes('nameless', metadata.uid);
      const { uid } = (await keeperOf(metadata.uid)).metadata;
      expect((await contentOf(metadata.uid)).metadata.ownerReferences).toMatchObject([{ uid }]);
    });

    test('CAP-27 CAP-28 CAP-31 CAP-D14 uses what it has made already, though a stale read has not shown it', async () => {
      calls.on({ method: 'GET', path: KEEPER }, failWith(404, 'NotFound'), 2);
      calls.on({ method: 'GET', path: CONTENT }, failWith(404, 'NotFound'), 4);
      const count = () => [writesOf(KEEPERS).length, writesOf(CONTENTS).length];
      const [keepers = 0, contents = 0] = count();
      const conflicts = () =>
        calls.made.filter(({ method, status }) => method === 'POST' && status === 409).length;
      const before = conflicts();
      const { metadata } = await request('stale');
      await completes('stale', metadata.uid);
      expect(count()).toEqual([keepers + 1, contents + 1]);
      expect(conflicts() - before).toBe(2);
    });

    /** Where a process ends, by what it cannot write any more. */
    const crashes: readonly (readonly [string, string, RegExp, string])[] = [
      ['CAP-24 after its keeper was made', 'keeper', CONTENTS, ''],
      ['CAP-25 after its snapshot was made', 'content', STATUS, 'artifactUID'],
      ['CAP-26 after its snapshot was ready', 'ready', STATUS, 'completionTimestamp'],
    ];
    test.each(crashes)('goes on after a crash %s: all is made once', async (_title, place, path, text) => {
      const name = `crash-${place}`;
      const isMeant = ({ body }: { readonly body?: unknown }) => String(body).includes(text);
      const method = path === STATUS ? 'PATCH' : 'POST';
      const end = calls.on({ method, path }, only(isMeant, failWith(500, 'InternalError')));
      const start = calls.made.length;
      const sinceStart = () => calls.made.slice(start);
      const { metadata } = await request(name);
      if (place === 'ready') {
        await expect.poll(() => contentOf(metadata.uid).catch(() => undefined)).toBeDefined();
        await reportSnapshot(capture.admin, NAMES.snapshotContent(metadata.uid), { readyToUse: true });
      }
      await expect.poll(() => sinceStart().some(({ status }) => status === 500)).toBe(true);
      await capture.stop();
      const before = await ignoreNotFound(contentOf(metadata.uid));
      expect(before === undefined).toBe(place === 'keeper');
      end();
      await capture.restart();
      await completes(name, metadata.uid);
      const made = sinceStart().filter((call) => call.method === 'POST' && call.status === 201);
      const paths = [KEEPERS, CONTENTS].map((one) => made.filter((call) => one.test(call.path)));
      expect(paths.map(({ length }) => length)).toEqual([1, 1]);
      const after = await contentOf(metadata.uid);
      expect(after.metadata.uid).toBe(before?.metadata.uid ?? after.metadata.uid);
    });

    type KeeperSpec = ObjectKeeper['spec'];
    let other = { name: '', uid: '' };
    const foreignKeepers: readonly (readonly [string, string, (spec: KeeperSpec) => KeeperSpec])[] = [
      ['CAP-29 follows another request', 'uid', (spec) => following(spec, other)],
      ['CAP-30 has a TTL instead', 'ttl', () => ({ mode: 'TTL', ttl: '1000h' })],
      ['CAP-30 follows another kind', 'kind', (spec) => following(spec, { kind: 'VolumeRestoreRequest' })],
      ['CAP-30 follows another name', 'name', (spec) => following(spec, { name: 'another' })],
      ['CAP-30 follows it elsewhere', 'elsewhere', (spec) => following(spec, { namespace: 'default' })],
    ];
    const following = (
      spec: KeeperSpec,
      more: Partial<NonNullable<KeeperSpec['followObjectRef']>>,
    ): KeeperSpec => {
      const { followObjectRef } = spec;
      if (followObjectRef === undefined) throw new TypeError('it follows nothing');
      return { ...spec, followObjectRef: { ...followObjectRef, ...more } };
    };

    beforeAll(async () => {
      const { metadata } = await createSnapshotRequest(capture, 'other', { name: 'nowhere', uid: 'any' });
      other = { name: metadata.name, uid: metadata.uid };
    });

    test.each(foreignKeepers)('whose keeper %s ends as Conflict', async (_title, name, change) => {
      let foreign: ObjectKeeper | undefined;
      const hold = after(async (sent) => {
        const { apiVersion, kind, metadata, spec } = sentObject(sent) as ObjectKeeper;
        foreign = await capture.admin.create(OBJECT_KEEPERS, {
          apiVersion,
          kind,
          metadata,
          spec: change(spec),
        });
      });
      calls.on({ method: 'POST', path: KEEPERS }, hold, 1);
      const { metadata } = await request(`keeper-${name}`);
      expect(await reasonOf(`keeper-${name}`)).toEqual(['False/Conflict']);
      expect(foreign?.metadata.name).toBe(NAMES.captureKeeper(metadata.uid));
      // One that follows nothing goes in the end, as is its nature; until then it is as it was.
      const left = (await ignoreNotFound(keeperOf(metadata.uid))) ?? foreign;
      expect([left?.metadata.uid, left?.spec]).toEqual([foreign?.metadata.uid, foreign?.spec]);
      await expect(contentOf(metadata.uid)).rejects.toThrow('not found');
    });

    const foreignContents: readonly (readonly [
      string,
      string,
      (content: SnapshotContent) => SnapshotContent,
    ])[] = [
      [
        'belongs to another keeper',
        'owner',
        ({ metadata, ...content }) => {
          const [owner] = metadata.ownerReferences ?? [];
          if (owner === undefined) throw new TypeError('nobody owns it');
          return {
            ...content,
            metadata: { ...metadata, ownerReferences: [{ ...owner, uid: 'of-another' }] },
          };
        },
      ],
      [
        'is of another volume',
        'handle',
        ({ spec, ...content }) => ({ ...content, spec: { ...spec, source: { volumeHandle: 'another' } } }),
      ],
      [
        'is of another driver',
        'driver',
        ({ spec, ...content }) => ({ ...content, spec: { ...spec, driver: `not-${DRIVER}` } }),
      ],
    ];

    test.each(foreignContents)(
      'CAP-32 CAP-D2 whose snapshot %s ends as Conflict, and leaves that alone, ready or not',
      async (_title, name, change) => {
        let revision = '';
        const hold = after(async (sent) => {
          const content = change(sentObject(sent) as SnapshotContent);
          const { metadata } = await capture.admin.create(SNAPSHOT_CONTENTS, content);
          await reportSnapshot(capture.admin, metadata.name, { readyToUse: true });
          revision = (await capture.admin.get(SNAPSHOT_CONTENTS, { name: metadata.name })).metadata.uid;
        });
        calls.on({ method: 'POST', path: CONTENTS }, hold, 1);
        const { metadata } = await request(`content-${name}`);
        expect(await reasonOf(`content-${name}`)).toEqual(['False/Conflict']);
        expect(revision).not.toBe('');
        const writes = calls.made.filter(
          ({ method, path }) => method !== 'GET' && path.includes(NAMES.snapshotContent(metadata.uid)),
        );
        expect(writes).toEqual([]);
      },
    );

    test.each([
      [403, 'Forbidden', 'RBACDenied'],
      [422, 'Invalid', 'InternalError'],
    ])(
      'CAP-33 ends when its snapshot is rejected with %i; its keeper stays as long as it',
      async (code, why, reason) => {
        const end = calls.on({ method: 'POST', path: CONTENTS }, failWith(code, why));
        const name = `rejected-${code}`;
        const { metadata } = await request(name);
        expect(await reasonOf(name)).toEqual([`False/${reason}`]);
        end();
        await expect(keeperOf(metadata.uid)).resolves.toBeDefined();
        await capture.admin.delete(VOLUME_CAPTURE_REQUESTS, { namespace, name });
        await gone(capture.admin, OBJECT_KEEPERS, NAMES.captureKeeper(metadata.uid));
      },
    );

    test('CAP-33 goes on when the server has failed to make its snapshot', async () => {
      calls.on({ method: 'POST', path: CONTENTS }, failWith(500, 'InternalError'), 3);
      const { metadata } = await request('retried');
      await completes('retried', metadata.uid);
    });
  });
}
