import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { canonicalJson, corev1, getCondition } from '@kubewright/kube';
import { createPinoLogger } from '@kubewright/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { CONTENT_CHUNKS } from '../api/content-chunk.ts';
import { MANIFEST_CAPTURE_REQUESTS, type SecretPolicy } from '../api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from '../api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from '../api/object-keeper.ts';
import { readSettings } from '../settings.ts';
import { finished } from '../testing/make-requests.ts';
import { useServer } from '../testing/use-server.ts';
import { addManifestCapture } from './add-manifest-capture.ts';

const NAMESPACE = 'default';
const VALUE = 'correct horse battery staple';
const BASE64 = Buffer.from(VALUE).toString('base64');
const TARGETS = [{ apiVersion: 'v1', kind: 'Secret', name: 'login' }];

describe('CAP-90 what a capture says and stores of a Secret', () => {
  const site = useServer(
    [OBJECT_KEEPERS, MANIFEST_CAPTURE_REQUESTS, MANIFEST_CHECKPOINTS, CONTENT_CHUNKS].map(
      ({ definition }) => definition,
    ),
  );
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-policies-'));
  const keyFile = join(folder, 'keys');
  writeFileSync(keyFile, `a-key ${Buffer.alloc(32, 7).toString('base64')}\n`);
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Everything that a capture leaves behind, by what it is. */
  async function traces(secrets: SecretPolicy): Promise<Readonly<Record<string, string>>> {
    const applied = JSON.stringify({ stringData: { password: VALUE }, data: { password: BASE64 } });
    await site.admin.create(corev1.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        namespace: NAMESPACE,
        name: 'login',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied },
      },
      data: { password: BASE64 },
    });
    const lines: string[] = [];
    const log = createPinoLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
    const settings = readSettings({ CAPTURE_KEY_FILE: keyFile });
    site.run((manager) => addManifestCapture(manager, settings), { log });
    await site.admin.create(MANIFEST_CAPTURE_REQUESTS, {
      apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
      kind: 'ManifestCaptureRequest',
      metadata: { namespace: NAMESPACE, name: 'all' },
      spec: { targets: TARGETS, secrets },
    });
    const requester = { admin: site.admin, namespace: NAMESPACE };
    const request = await finished(requester, MANIFEST_CAPTURE_REQUESTS, 'all');
    expect(getCondition(request.status?.conditions, 'Ready')).toMatchObject({
      status: 'True',
      reason: 'Completed',
    });
    const ended = async () => (await site.admin.list(corev1.events, { namespace: NAMESPACE })).items;
    await expect.poll(async () => (await ended()).map(({ reason }) => reason)).toContain('Completed');
    const { items: checkpoints } = await site.admin.list(MANIFEST_CHECKPOINTS);
    const { items: chunks } = await site.admin.list(CONTENT_CHUNKS);
    expect([checkpoints.length, chunks.length, lines.length > 0]).toEqual([1, 1, true]);
    return {
      request: canonicalJson(request),
      events: canonicalJson(await ended()),
      checkpoints: canonicalJson(checkpoints),
      chunks: canonicalJson(chunks),
      content: chunks.map(({ spec }) => gunzipSync(Buffer.from(spec.data, 'base64')).toString()).join('\n'),
      log: lines.join(''),
    };
  }
  const found = (left: Readonly<Record<string, string>>): readonly string[] =>
    Object.keys(left).filter((place) => [VALUE, BASE64].some((secret) => left[place]?.includes(secret)));

  test('is its value, in the content alone, where that is wanted', async () => {
    expect(found(await traces('Include'))).toEqual(['content']);
  });

  test.each<[SecretPolicy, string]>([
    ['Redact', '"data":{"password":""}'],
    ['Exclude', '[]'],
    ['Encrypt', '"keyID":"a-key"'],
  ])('is nowhere its value, by the policy %s', async (policy, expected) => {
    const left = await traces(policy);
    expect(found(left)).toEqual([]);
    expect(left['content']).toContain(expected);
  });
});
