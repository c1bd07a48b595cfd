import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { corev1, type KubeObject } from '@kubewright/kube';
import { BUCKET, S3_ENV, startS3Server } from '../../packages/operators/src/capture/testing/s3-server.ts';
import type { Comparison, ComparisonRow } from '../comparison.ts';
import { withKubeApiServer } from '../with-kube-apiserver.ts';
import { measuredCli, OURS, startManager } from './measured-cli.ts';

const OBJECTS = 2000;
const REQUEST_MS = 50;
const NAMESPACE = 'exports';
/** One request after another: what it took before several were in flight. */
const BEFORE_SECONDS = 121;
const MAX_RATIO = 0.12;
const AT_ONCE = 32;

/** An export of 2,000 objects to a store that needs 50 ms a request; beside another checkout that was built (`--base`). */
export async function benchExports({ base }: { readonly base?: string }): Promise<Comparison> {
  const seconds = await withKubeApiServer(async ({ client, kubeconfig }) => {
    for (const name of [NAMESPACE, 'kubewright'])
      await client.create<KubeObject>(corev1.namespaces, { ...metaOf('Namespace', name) });
    const names = Array.from({ length: OBJECTS }, (_, index) => `map-${index}`).values();
    const createSome = async (): Promise<void> => {
      for (const name of names) await client.create<KubeObject>(corev1.configmaps, mapOf(name));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, createSome));
    const manager = await startManager(OURS, kubeconfig);
    const cluster = ['--kubeconfig', kubeconfig] as const;
    const { stdout } = await measuredCli(OURS, ['capture', 'namespace', NAMESPACE, ...cluster]);
    await manager.stop();
    const checkpoint = /nss-mcp-\w+/.exec(stdout)?.[0] ?? assert.fail(stdout);
    const all: (number | undefined)[] = [];
    for (const checkout of [OURS, base])
      all.push(checkout === undefined ? undefined : await exportSeconds(checkout, checkpoint, cluster));
    return all;
  });
  const [ours = 0, theirs = BEFORE_SECONDS] = seconds;
  const row: ComparisonRow = { name: 'export', unit: 's', ours, theirs, target: MAX_RATIO, better: 'less' };
  return {
    title: `An export of ${OBJECTS} objects to a store that needs ${REQUEST_MS} ms a request`,
    sides: ['capture', base ?? 'before'],
    rows: [row],
  };
}

async function exportSeconds(checkout: string, checkpoint: string, cluster: readonly string[]) {
  const s3 = await startS3Server((listener) =>
    createServer((request, response) => {
      void delay(REQUEST_MS).then(() => listener(request, response));
    }),
  );
  const env = { ...S3_ENV, AWS_ENDPOINT_URL_S3: s3.url, AWS_REGION: 'us-east-1' };
  const at = `s3://${BUCKET}/monday`;
  // The checksums that buckets with Object Lock want are not in every build.
  s3.honours.checksums = false;
  const { seconds } = await measuredCli(checkout, ['capture', 'export', checkpoint, at, ...cluster], env);
  assert.ok(s3.objects.size > OBJECTS);
  s3.server.closeAllConnections();
  s3.server.close();
  return seconds;
}

function metaOf(kind: string, name: string): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name } };
}

function mapOf(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: NAMESPACE, name }, data: { name } };
}
