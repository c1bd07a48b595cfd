import { gunzipSync } from 'node:zlib';
import { corev1, type Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import {
  type CaptureSelection,
  MANIFEST_CAPTURE_REQUESTS,
  type ManifestCaptureRequest,
} from './api/manifest-capture-request.ts';
import { CONTENT_CHUNKS } from './api/content-chunk.ts';
import { MANIFEST_CHECKPOINTS } from './api/manifest-checkpoint.ts';
import { captureParts } from './controller.ts';
import { identityOf } from './export/file-of.ts';
import { readCheckpoint } from './manifests/read-checkpoint.ts';
import { NAMES } from './requests/names.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { finished, type RequestStatus } from './testing/make-requests.ts';

const CAPTURABLE = { apiGroups: [''], resources: ['configmaps', 'secrets'] };

/** Captures of all objects of kinds. */
export function selectionsContract(transport: () => Transport): void {
  describe('a selection', () => {
    const capture = useOperator(transport, captureParts, { anyKind: CAPTURABLE });
    const { namespace } = capture;
    beforeAll(() => admissionChecks(capture));

    const ready = ({ status }: { readonly status?: RequestStatus | undefined }) =>
      status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is}/${reason}`);
    const selected = async (name: string, selection: CaptureSelection): Promise<ManifestCaptureRequest> => {
      await capture.admin.create(MANIFEST_CAPTURE_REQUESTS, {
        apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
        kind: 'ManifestCaptureRequest',
        metadata: { namespace, name },
        spec: { selection },
      });
      return finished(capture, MANIFEST_CAPTURE_REQUESTS, name);
    };
    const kindsOf = (...kinds: readonly string[]) => kinds.map((kind) => ({ apiVersion: 'v1', kind }));

    test('is every object of its kinds with its labels that no controller creates', async () => {
      const shared = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
      const labelled = (name: string, labels: Readonly<Record<string, string>>) => ({
        ...shared,
        metadata: { namespace, name, labels },
      });
      const names = Array.from({ length: 60 }, (_, index) => `many-${String(index).padStart(2, '0')}`);
      for (const name of names)
        await capture.admin.create(corev1.configmaps, labelled(name, { set: 'many' }));
      await capture.admin.create(
        corev1.configmaps,
        labelled('unwanted', { set: 'many', 'state-snapshotter.deckhouse.io/exclude': 'true' }),
      );
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'one', uid: 'any', controller: true };
      const owned = labelled('owned', { set: 'many' });
      await capture.admin.create(corev1.configmaps, {
        ...owned,
        metadata: { ...owned.metadata, ownerReferences: [owner] },
      });
      const { status } = await selected('labelled', {
        kinds: kindsOf('Secret', 'ConfigMap', 'ConfigMap'),
        labelSelector: { matchExpressions: [{ key: 'set', operator: 'In', values: ['many', 'other'] }] },
      });
      expect(ready({ status })).toEqual(['Ready=True/Completed']);
      const objects = await readCheckpoint(capture.admin, status?.checkpointName ?? '');
      expect(objects.map((object) => identityOf(object).name)).toEqual(names);
      const live = await capture.admin.get(corev1.configmaps, { namespace, name: 'many-59' });
      expect(objects.at(-1)).toEqual(live);
      await capture.admin.deleteAll(corev1.configmaps, { namespace, labelSelector: 'set' });
    });

    test('CAP-73 of nothing is complete: one chunk of an empty array', async () => {
      const { metadata, status } = await selected('none-left', {
        kinds: kindsOf('ConfigMap'),
        labelSelector: { matchLabels: { set: 'nobodys' } },
      });
      expect(ready({ status })).toEqual(['Ready=True/Completed']);
      const { checkpointName = '' } = status ?? {};
      expect(await readCheckpoint(capture.admin, checkpointName)).toEqual([]);
      const checkpoint = await capture.admin.get(MANIFEST_CHECKPOINTS, {
        name: NAMES.checkpoint(metadata.uid),
      });
      expect(checkpoint.status).toMatchObject({ totalObjects: 0, chunks: [{ index: 0, objectsCount: 0 }] });
      const name = checkpoint.status?.chunks?.[0]?.name ?? '';
      const { spec } = await capture.admin.get(CONTENT_CHUNKS, { name });
      expect(gunzipSync(Buffer.from(spec.data, 'base64')).toString()).toBe('[]');
    });

    test('CAP-233 of Namespaces is the one of the request, with its labels', async () => {
      const body = { metadata: { labels: { team: 'shop' } } };
      await capture.admin.patch(corev1.namespaces, { name: namespace }, { type: 'merge', body });
      const own = async (name: string, labels: Readonly<Record<string, string>>) => {
        const selection = { kinds: kindsOf('Namespace'), labelSelector: { matchLabels: labels } };
        const { status } = await selected(name, selection);
        return readCheckpoint(capture.admin, status?.checkpointName ?? '');
      };
      const live = await capture.admin.get(corev1.namespaces, { name: namespace });
      expect(await own('own-namespace', {})).toEqual([live]);
      expect(await own('not-its-label', { team: 'others' })).toEqual([]);
    });

    test.each<[string, CaptureSelection['kinds'], string]>([
      ['not served', kindsOf('NobodyServesThis'), 'does not serve kind NobodyServesThis'],
      ['of the cluster', kindsOf('Node'), 'Node has no namespace'],
      ['not granted to the operator', kindsOf('ConfigMap', 'Pod'), 'Pod is forbidden'],
    ])(
      'a selection of a kind that is %s ends the request, and leaves no checkpoint',
      async (why, kinds, message) => {
        const { metadata, status } = await selected(`kind-${why.replaceAll(' ', '-')}`, { kinds });
        expect(ready({ status })).toEqual(['Ready=False/Failed']);
        expect(status?.conditions?.[0]?.message).toContain(message);
        const checkpoint = capture.admin.get(MANIFEST_CHECKPOINTS, { name: NAMES.checkpoint(metadata.uid) });
        await expect(checkpoint).rejects.toThrow('not found');
      },
    );

    test('CAP-67 a request has targets or a selection, and not both', async () => {
      const request = (name: string, spec: ManifestCaptureRequest['spec']) =>
        capture.admin.create(MANIFEST_CAPTURE_REQUESTS, {
          apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
          kind: 'ManifestCaptureRequest',
          metadata: { namespace, name },
          spec,
        });
      const selection = { kinds: kindsOf('ConfigMap') };
      for (const spec of [{}, { targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'one' }], selection }])
        await expect(request('ambiguous', spec)).rejects.toThrow(
          'targets or selection is required, and not both',
        );
      await expect(request('of-nothing', { selection: { kinds: [] } })).rejects.toThrow(
        /spec.selection.kinds/,
      );
    });
  });
}
