import { afterAll, beforeAll, describe } from 'vitest';
import { storeContract } from '../../packages/operators/src/capture/export/store.contract.ts';
import { S3_PROGRAMS } from '../servers/s3-programs.ts';
import type { Started } from '../support/start-program.ts';

const KEYS = { id: 'an-id', secret: 'a/secret+key' };
const BUCKET = 'backups';
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
  });
}
