import type { JsonObject } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { indexOf } from '../../packages/operators/src/capture/export/export-index.ts';
import { readExport } from '../../packages/operators/src/capture/export/read-export.ts';
import { storeContract } from '../../packages/operators/src/capture/export/store.contract.ts';
import { writeExport } from '../../packages/operators/src/capture/export/write-export.ts';
import { S3_PROGRAMS } from '../servers/s3-programs.ts';
import type { Started } from '../support/start-program.ts';

const KEYS = { id: 'an-id', secret: 'a/secret+key' };
const BUCKET = 'backups';
const LOCKED = 'locked';
const MAP: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'a' },
};

async function* objects(): AsyncGenerator<JsonObject, void> {
  yield MAP;
}

const isOff = process.env['KUBEWRIGHT_REAL'] === 'off';

for (const program of S3_PROGRAMS) {
  const { name, path, createsOnce } = program;
  const isMissing = path === undefined || isOff;
  const why = isMissing ? ' [needs npm run assets:s3, and KUBEWRIGHT_REAL not off]' : '';
  describe.skipIf(isMissing)(`exports of capture to ${name}${why}`, () => {
    let started: Started;
    beforeAll(async () => void (started = await program.start(path ?? '', BUCKET, KEYS)));
    afterAll(() => started.stop());
    storeContract(() => {
      const env = {
        AWS_ACCESS_KEY_ID: KEYS.id,
        AWS_SECRET_ACCESS_KEY: KEYS.secret,
        AWS_SESSION_TOKEN: '',
        AWS_ENDPOINT_URL_S3: started.url,
        AWS_REGION: 'us-east-1',
      };
      return { bucket: BUCKET, env, createsOnce, many: 1100 };
    });

    const lock = program.addLocked;
    if (lock === undefined) return;
    test('CAP-228 a bucket that keeps its objects, and rejects what has no checksum, takes an export', async () => {
      await lock(started.url, LOCKED);
      const plain = await fetch(`${started.url}/${LOCKED}/plain`, { method: 'PUT', body: 'no checksum' });
      expect(plain.status).toBe(400);
      const at = `s3://${LOCKED}/monday`;
      await writeExport(at, await indexOf('nss-mcp-1', objects()), objects());
      const read: JsonObject[] = [];
      for await (const object of readExport(at)) read.push(object);
      expect(read).toEqual([MAP]);
    });
  });
}
