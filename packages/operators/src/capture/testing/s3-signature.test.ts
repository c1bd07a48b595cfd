import { expect, test } from 'vitest';
import { signatureOf } from './s3-signature.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const SCOPE = '20130524/us-east-1/s3/aws4_request';
const HEADERS = {
  host: 'examplebucket.s3.amazonaws.com',
  'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'x-amz-date': '20130524T000000Z',
};
const NAMES = ['host', 'x-amz-content-sha256', 'x-amz-date'];

// From "Examples: Signature Calculations" of the Amazon S3 API reference.
test.each([
  [
    'GET Object',
    '/test.txt',
    { ...HEADERS, range: 'bytes=0-9' },
    ['host', 'range', ...NAMES.slice(1)],
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'List Objects',
    '/?max-keys=2&prefix=J',
    HEADERS,
    NAMES,
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('the signature of the published example %s', (_name, url, headers, names, signature) => {
  expect(signatureOf({ method: 'GET', url, headers }, { scope: SCOPE, names }, SECRET)).toBe(signature);
});
