import { afterAll, beforeAll, describe } from 'vitest';
import { BUCKET, S3_ENV, startS3Server, type S3Server } from '../testing/s3-server.ts';
import { storeContract } from './store.contract.ts';

describe.each([true, false])('a store of the tests, which creates an object only once: %s', (createsOnce) => {
  let s3: S3Server;
  beforeAll(async () => {
    s3 = await startS3Server();
    s3.honours.conditions = createsOnce;
  });
  afterAll(() => {
    s3.server.closeAllConnections();
    s3.server.close();
  });
  storeContract(() => {
    const env = { ...S3_ENV, AWS_ENDPOINT_URL_S3: s3.url, AWS_REGION: 'us-east-1', AWS_SESSION_TOKEN: '' };
    return { bucket: BUCKET, env, createsOnce, many: 30 };
  });
});
